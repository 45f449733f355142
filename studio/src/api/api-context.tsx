import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Api, apiOf, type KeyDescription } from './client';
import { readRequests, type Requests } from './key-description';
import { missingEntry, type Right } from './scope';

interface Access {
  api: Api;
  key: string;
  description: KeyDescription;
}

const AccessContext = createContext<Access | undefined>(undefined);

/** Provides the services, with the rights of a key, to the pages below. */
export function AccessProvider({
  apiKey,
  description,
  children,
}: {
  apiKey: string;
  description: KeyDescription;
  children: ReactNode;
}) {
  const { name } = description;
  const api = useMemo(() => apiOf(apiKey, name), [apiKey, name]);
  const access = useMemo(() => ({ api, key: apiKey, description }), [api, apiKey, description]);
  return <AccessContext value={access}>{children}</AccessContext>;
}

function useAccess(): Access {
  const access = useContext(AccessContext);
  if (!access) throw new Error('a page needs an AccessProvider');
  return access;
}

export const useApi = (): Api => useAccess().api;
/** Returns a function that reads the requests of the tenant. */
export function useRequests(): (hours: number, signal?: AbortSignal) => Promise<Requests> {
  const { key } = useAccess();
  return (hours, signal) => readRequests(key, hours, signal);
}

export const useDescription = (): KeyDescription => useAccess().description;

/** Returns why the key may use none of these operations; undefined if it may use one. */
export function useRefusalOfAll(...rights: Right[]): string | undefined {
  const { scope } = useDescription();
  const missing = rights.map((right) => missingEntry(scope, right));
  return missing.includes(undefined) ? undefined : `This key needs ${missing.join(' or ')}`;
}

/** Returns why the key may not use one of these operations; undefined if it may use all. */
export function useRefusal(...rights: Right[]): string | undefined {
  const scope = useContext(AccessContext)?.description.scope ?? [];
  const missing = rights.flatMap((right) => missingEntry(scope, right) ?? []);
  return missing.length > 0 ? `This key needs ${missing.join(' and ')}` : undefined;
}
