import { type ComponentType, lazy } from 'react';
import { link } from './link';

const NAME = 'platform-services-reloaded-at';
const AGAIN_MS = 60_000;

/** Makes a part that is loaded when it is first shown. While the server is away it waits; after an update of the server it loads Studio anew. */
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
    // The files of this part have other names by now, unless a reload did not help a moment ago.
    if (Date.now() - Number(sessionStorage.getItem(NAME) ?? 0) < AGAIN_MS) throw error;
    sessionStorage.setItem(NAME, String(Date.now()));
    location.reload();
    return new Promise(() => undefined);
  }
}

/** Whether styles did not arrive. Chromium has an empty sheet for them, and lets nobody read it. */
function isMissed({ sheet }: HTMLLinkElement): boolean {
  try {
    return !sheet?.cssRules.length;
  } catch {
    return true;
  }
}

/** Loads styles that were missed. Whoever asks for a part again asks for its script only, since its styles were asked for before. */
async function restyle(): Promise<void> {
  const missed = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(isMissed);
  await Promise.all(
    missed.map(
      (old) =>
        new Promise((resolve, reject) => {
          const again = old.cloneNode() as HTMLLinkElement;
          again.addEventListener('load', resolve);
          again.addEventListener('error', reject);
          old.replaceWith(again);
        }),
    ),
  );
}
