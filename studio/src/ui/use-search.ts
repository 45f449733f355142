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

/** The length from which on the services find a part of a text. */
export const SHORTEST_PART = 3;

/** The filter of files whose names contain a text; for a shorter one, of those below the folder that begin with it. */
export const filesNamed = (text: string, folder = ''): { namePrefix?: string; contains?: string } => {
  const isPart = text.length >= SHORTEST_PART;
  const namePrefix = isPart ? folder : folder + text;
  return { ...(namePrefix && { namePrefix }), ...(isPart && { contains: text }) };
};

/** The filter of tenants whose names contain a text; for a shorter one, of the tenant that is called so. */
export const tenantsNamed = (text: string): { name?: string; contains?: string } => {
  if (text.length >= SHORTEST_PART) return { contains: text };
  return text ? { name: text } : {};
};
