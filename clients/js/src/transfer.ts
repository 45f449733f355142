import { brokenConnection, ConnectionError, errorOfAnswer, TimedOutError } from './errors.js';

/** Progress of a transfer, in bytes. */
export interface Progress {
  /** Bytes transferred. */
  done: number;
  /** Total bytes; undefined while unknown. */
  total: number | undefined;
}

export interface TransferOptions {
  /** Called on every progress. */
  onProgress?: (progress: Progress) => void;
  /** Aborts the transfer, with the reason of the signal. */
  signal?: AbortSignal;
  /** Number of retries of each request; 5 by default. */
  retries?: number;
}

/** One request that sends bytes. */
export interface Put<B> {
  url: string;
  body: B;
  headers?: { readonly [name: string]: string };
  /** Called with the number of bytes sent by this request. */
  onSent?: (bytes: number) => void;
  signal?: AbortSignal | undefined;
}

/** Sends bytes and returns the ETag of the response. @throws PlatformError */
export type Sender<B> = (put: Put<B>) => Promise<string>;

/** Time without a byte after which a connection counts as broken. The server itself stops after 60 s. */
export const SILENCE_MS = 75_000;
/** Minimum rate of a request by `fetch`, which reports no progress: 16 kB/s on average. */
const SLOWEST_BYTES_PER_MS = 16;
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Sends by XMLHttpRequest, which alone reports progress in a page; without it, as in some workers, by `fetch`. */
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
