import { errorOfAnswer, PlatformError } from '../../../clients/js/src/errors';
import type { KeyDescription } from './client';
import { link } from './link';
import { countedFetch } from './rate';
import type { ServiceName } from './scope';

/** Requests of the tenant of a key. Hours without requests are left out. */
export interface Requests {
  from: string;
  hours: { at: string; requests: number; errors: number }[];
  keys: {
    service: Exclude<ServiceName, 'admin'>;
    key: { id: string; name: string | null; prefix: string };
    code: string;
    requests: number;
  }[];
}

/** Requests the description of a key. @throws PlatformError */
export const describeKey = (key: string, signal?: AbortSignal): Promise<KeyDescription> => read('/key', key, signal);

/** Reads the requests of the last hours. @throws PlatformError */
export const readRequests = (key: string, hours: number, signal?: AbortSignal): Promise<Requests> =>
  read(`/key/requests?hours=${hours}`, key, signal);

async function read<T>(path: string, key: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await countedFetch(path, { headers: { 'x-api-key': key }, ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    link.lose();
    throw new PlatformError('CONNECTION_BROKEN', 'The server could not be reached', { cause: error });
  }
  const text = await response.text();
  if (!response.ok) throw errorOfAnswer({ status: response.status, header: (name) => response.headers.get(name) }, text);
  return JSON.parse(text) as T;
}
