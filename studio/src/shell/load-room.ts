import { type ComponentType, lazy } from 'react';
import { link } from '../api/link';

type Load = () => Promise<{ default: ComponentType }>;

const NAME = 'platform-services-reloaded-at';
const AGAIN_MS = 60_000;

/** Makes a page that is loaded when it is first shown. While the server is away it waits; after an update of the server it loads Studio anew. */
export const roomOf = (load: Load) => lazy(() => patiently(load));

async function patiently(load: Load): Promise<{ default: ComponentType }> {
  try {
    return await load();
  } catch {
    link.lose();
    await link.found();
  }
  try {
    return await load();
  } catch (error) {
    // The files of this page have other names by now, unless a reload did not help a moment ago.
    if (Date.now() - Number(sessionStorage.getItem(NAME) ?? 0) < AGAIN_MS) throw error;
    sessionStorage.setItem(NAME, String(Date.now()));
    location.reload();
    return new Promise(() => undefined);
  }
}
