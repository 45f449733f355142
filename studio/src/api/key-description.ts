import { errorOfAnswer, PlatformError } from '../../../clients/js/src/errors';
import type { KeyDescription } from './client';
import { link } from './link';
import { countedFetch } from './rate';

/** Requests the description of a key. @throws PlatformError */
export async function describeKey(key: string, signal?: AbortSignal): Promise<KeyDescription> {
  let response: Response;
  try {
    response = await countedFetch('/key', { headers: { 'x-api-key': key }, ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    link.lose();
    throw new PlatformError('CONNECTION_BROKEN', 'The server could not be reached', { cause: error });
  }
  const text = await response.text();
  if (!response.ok) throw errorOfAnswer({ status: response.status, header: (name) => response.headers.get(name) }, text);
  return JSON.parse(text) as KeyDescription;
}
