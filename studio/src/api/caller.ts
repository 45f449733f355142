/** Beginning of what stands for a key while a person is signed in: the session is in a cookie, and each request names a tenant. */
const OF_PERSON = 'tenant:';

/** Whether people can sign in here, as the server says in its page. */
export const isForPeople = 'people' in document.documentElement.dataset;

export const keyForTenant = (id: string): string => OF_PERSON + id;
export const isPerson = (key: string): boolean => key.startsWith(OF_PERSON);

/** Replaces the key in the headers of a request by the tenant of a person. */
export function asCaller(init: RequestInit | undefined): RequestInit | undefined {
  const { 'x-api-key': key = '', ...headers } = (init?.headers ?? {}) as Record<string, string>;
  return isPerson(key) ? { ...init, headers: { ...headers, 'x-tenant-id': key.slice(OF_PERSON.length) } } : init;
}
