import { errorOfAnswer, UnauthenticatedError } from '../../../clients/js/src/errors';
import { keyForTenant } from '../api/caller';
import { session } from '../api/session';
import { toasts } from '../ui/toasts';

const LAST = 'platform-services-tenant';

/** Person who is signed in, and tenants by name. */
export interface SignedIn {
  name: string;
  tenants: { id: string; name: string }[];
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  const text = await response.text();
  if (!response.ok) throw errorOfAnswer({ status: response.status, header: (name) => response.headers.get(name) }, text);
  return JSON.parse(text) as T;
}

/** Reads the session with the tenants from a name on. @throws UnauthenticatedError if nobody is signed in */
export const readSession = (from: string, signal: AbortSignal): Promise<SignedIn> =>
  ask(`/session?from=${encodeURIComponent(from)}`, { signal });

/** Opens a tenant in all tabs. */
export function openTenant(id: string): void {
  localStorage.setItem(LAST, id);
  session.enter(keyForTenant(id));
}

/** Opens the tenant used last in this browser, or the first. */
export function openUsual({ tenants }: SignedIn): void {
  const last = localStorage.getItem(LAST);
  const usual = tenants.find(({ id }) => id === last) ?? tenants[0];
  if (usual) openTenant(usual.id);
}

/** Ends the session on all nodes, then the one at the issuer, where it has a page for that. */
export async function signOut(): Promise<void> {
  try {
    const { url } = await ask<{ url: string | null }>('/session/sign-out', { method: 'POST' });
    session.enter('');
    if (url) location.assign(url);
  } catch (error) {
    if (error instanceof UnauthenticatedError) session.enter('');
    else toasts.add({ title: `Couldn’t sign out: ${(error as Error).message}` });
  }
}
