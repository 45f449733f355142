import { type ComponentType, lazy } from 'react';
import { link } from './link';

const NAME = 'platform-services-reloaded-at';
const AGAIN_MS = 60_000;

/**
 * Creates a component that is loaded when first shown. While the server is down it waits; after an update of the server it reloads
 * Studio.
 */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(() => patiently(async () => ({ default: await load() })));

async function patiently<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    link.lose();
    await link.found();
  }
  try {
    await restyle();
    return await load();
  } catch (error) {
    // The files of this part were renamed by an update, unless a recent reload did not help.
    if (Date.now() - Number(sessionStorage.getItem(NAME) ?? 0) < AGAIN_MS) throw error;
    sessionStorage.setItem(NAME, String(Date.now()));
    location.reload();
    return new Promise(() => undefined);
  }
}

// Styles that failed to load. A browser has an empty sheet for them, and none for styles still loading.
const missed = new Set<HTMLLinkElement>();
const isStyles = (target: EventTarget | null): target is HTMLLinkElement =>
  target instanceof HTMLLinkElement && target.rel === 'stylesheet';
addEventListener('error', ({ target }) => isStyles(target) && missed.add(target), { capture: true });
let restyled: Promise<unknown> = Promise.resolve();

/** Loads missed styles, once for all waiting parts. A part requested again requests its script only. */
function restyle(): Promise<unknown> {
  restyled = restyled.catch(() => undefined).then(() => Promise.all([...missed].map(replace)));
  return restyled;
}

function replace(old: HTMLLinkElement): Promise<unknown> {
  missed.delete(old);
  return new Promise((resolve, reject) => {
    const again = old.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', resolve);
    again.addEventListener('error', reject);
    old.replaceWith(again);
  });
}
