import { brokenConnection, ConnectionError, errorOfAnswer, TimedOutError } from './errors.js';

/** How far a transfer is, in bytes. */
export interface Progress {
  /** Bytes that arrived. */
  done: number;
  /** Bytes in all; undefined while that is not known. */
  total: number | undefined;
}

export interface TransferOptions {
  /** Hears of every step. */
  onProgress?: (progress: Progress) => void;
  /** Ends the transfer, with the reason of the signal. */
  signal?: AbortSignal;
  /** How many times more each request is tried; 5 by default. */
  retries?: number;
}

/** One request that sends bytes. */
export interface Put<B> {
  url: string;
  body: B;
  headers?: { readonly [name: string]: string };
  /** Hears how many bytes of this request were sent. */
  onSent?: (bytes: number) => void;
  signal?: AbortSignal | undefined;
}

/** Sends bytes and returns the ETag of the answer. @throws PlatformError */
export type Sender<B> = (put: Put<B>) => Promise<string>;

/** No byte moved for so long: the connection counts as broken. The server itself gives up after 60 s. */
export const SILENCE_MS = 75_000;
/** `fetch` does not tell how far it is, so it has a time for the whole: that of 16 kB/s. */
const SLOWEST_BYTES_PER_MS = 16;
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Sends by XMLHttpRequest, which alone tells a page how far it is; without it, as in a worker of some kinds, by `fetch`. */
export const sendFromPage: Sender<Blob> = (put) => (typeof XMLHttpRequest === 'undefined' ? sendByFetch(put) : sendByXhr(put));

function sendByXhr({ url, body, headers = {}, onSent, signal }: Put<Blob>): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    let timer: ReturnType<typeof setTimeout>;
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(() => reject(silent()), true), SILENCE_MS);
    };
    const over = new AbortController();
    const abort = () => settle(() => reject(signal!.reason), true);
    const settle = (end: () => void, isUnderWay = false) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      over.abort();
      if (isUnderWay) request.abort();
      end();
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => (hear(), onSent?.(loaded)), { signal: over.signal });
    request.addEventListener(
      'error',
      () => settle(() => reject(new ConnectionError('The connection broke while bytes were sent'))),
      { signal: over.signal },
    );
    const loaded = () =>
      settle(() => {
        const head = { status: request.status, header: (name: string) => request.getResponseHeader(name) };
        if (request.status !== 200) return reject(errorOfAnswer(head, request.responseText));
        onSent?.(body.size);
        resolve(head.header('etag') ?? '');
      });
    request.addEventListener('load', loaded, { signal: over.signal });
    hear();
    request.send(body);
  });
}

async function sendByFetch({ url, body, headers, onSent, signal }: Put<Blob>): Promise<string> {
  const slowest = AbortSignal.timeout(Math.min(MAX_DELAY_MS, SILENCE_MS + Math.ceil(body.size / SLOWEST_BYTES_PER_MS)));
  let response;
  try {
    response = await fetch(url, {
      method: 'PUT',
      body,
      headers: { ...headers },
      signal: signal ? AbortSignal.any([signal, slowest]) : slowest,
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (slowest.aborted) throw silent();
    throw brokenConnection(error, 'The connection broke while bytes were sent');
  }
  const head = { status: response.status, header: (name: string) => response.headers.get(name) };
  if (response.status !== 200) throw errorOfAnswer(head, await response.text());
  await response.arrayBuffer();
  onSent?.(body.size);
  return head.header('etag') ?? '';
}

export const silent = (): TimedOutError => new TimedOutError(`No byte moved for ${SILENCE_MS / 1_000} s`);
