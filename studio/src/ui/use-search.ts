import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** The filters of a page, kept in its address so that it can be sent to a colleague. An empty value is left out. */
export function useFilters(): [Readonly<Record<string, string>>, (changes: Record<string, string | undefined>) => void] {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const filters = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (changes: Record<string, string | undefined>) => {
      // As they are in the address now: another filter may have changed since this was rendered.
      const present = Object.fromEntries(new URLSearchParams(window.location.search));
      const next = Object.entries({ ...present, ...changes }).filter((entry): entry is [string, string] => Boolean(entry[1]));
      const text = new URLSearchParams(next).toString();
      navigate(text ? `${location}?${text}` : location, { replace: true });
    },
    [location, navigate],
  );
  return [filters, change];
}
