import type { Hash } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { brokenConnection, errorOfAnswer, PlatformError } from '../errors.js';
import { type Put, type Sender, silent, SILENCE_MS } from '../transfer.js';

/** Bytes that can be read again for another attempt. */
export interface Bytes {
  size: number;
  open(): Readable;
  /** Creates a hash over the bytes of this attempt. */
  hash?: () => Hash;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends by node:http with a content length, and stops as soon as the server refuses. */
export const sendFromNode: Sender<Bytes> = ({ url, body, headers, onSent, signal }: Put<Bytes>) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const source = body.open();
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method: 'PUT',
      headers: { ...headers, 'content-length': body.size },
    });
    const fail = (error: unknown) => {
      source.destroy();
      request.destroy();
      reject(error);
    };
    const abort = () => fail(signal!.reason);
    signal?.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', abort));
    request.setTimeout(SILENCE_MS, () => fail(silent()));
    let isAnswered = false;
    request.once('response', (response) => {
      isAnswered = true;
      const head = { status: response.statusCode ?? 0, header: (name: string) => response.headers[name] as string | undefined };
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (more: string) => (text += text.length < MAX_ANSWER_BYTES ? more : ''));
      response.once('error', (error) => fail(broken(error)));
      response.once('end', () => (head.status === 200 ? resolve(head.header('etag') ?? '') : fail(errorOfAnswer(head, text))));
    });
    const hash = body.hash?.();
    let sent = 0;
    source.on('data', (chunk: Buffer) => {
      hash?.update(chunk);
      onSent?.((sent += chunk.length));
    });
    pipeline(source, request, (error) => {
      // A refusal can arrive before all bytes are sent; its body follows, or the connection breaks.
      if (error && !isAnswered) fail(isOwn(error) ? error : broken(error));
    });
    request.on('error', (error) => fail(broken(error)));
  });

/** Errors of the source, such as an unreadable file, are thrown unchanged. */
const isOwn = (error: NodeJS.ErrnoException) =>
  error instanceof PlatformError || (error.syscall !== undefined && error.path !== undefined);

const broken = (error: Error) => brokenConnection(error, 'The connection broke while bytes were sent');
