import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Filters of a page, stored in its URL so that it can be shared. Empty values are left out. */
export function useFilters(): [Readonly<Record<string, string>>, (changes: Record<string, string | undefined>) => void] {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const filters = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (changes: Record<string, string | undefined>) => {
      // Current URL values: another filter may have changed since this render.
      const present = Object.fromEntries(new URLSearchParams(window.location.search));
      const next = Object.entries({ ...present, ...changes }).filter((entry): entry is [string, string] => Boolean(entry[1]));
      const text = new URLSearchParams(next).toString();
      navigate(text ? `${location}?${text}` : location, { replace: true });
    },
    [location, navigate],
  );
  return [filters, change];
}

/** Minimum length of a substring search. */
export const SHORTEST_PART = 3;

/** Filter of files whose names contain a text; for a shorter one, of those in the folder that start with it. */
export const filesNamed = (text: string, folder = ''): { namePrefix?: string; contains?: string } => {
  const isPart = text.length >= SHORTEST_PART;
  const namePrefix = isPart ? folder : folder + text;
  return { ...(namePrefix && { namePrefix }), ...(isPart && { contains: text }) };
};

/** Filter of tenants whose names contain a text; for a shorter one, of the exact name. */
export const tenantsNamed = (text: string): { name?: string; contains?: string } => {
  if (text.length >= SHORTEST_PART) return { contains: text };
  return text ? { name: text } : {};
};
