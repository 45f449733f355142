import type { Hash } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { brokenConnection, errorOfAnswer, PlatformError } from '../errors.js';
import { type Put, type Sender, silent, SILENCE_MS } from '../transfer.js';

/** Bytes that can be read again for another try. */
export interface Bytes {
  size: number;
  open(): Readable;
  /** Makes a hash that takes the bytes of this try. */
  hash?: () => Hash;
}

const MAX_ANSWER_BYTES = 64 * 1024;

/** Sends by node:http, with the length in front, and stops sending as soon as the server refuses. */
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
      // A refusal can come before all bytes went; its text arrives a moment later, or the connection breaks after all.
      if (error && !isAnswered) fail(isOwn(error) ? error : broken(error));
    });
    request.on('error', (error) => fail(broken(error)));
  });

/** Faults of the source, such as a file that cannot be read, are thrown as they are. */
const isOwn = (error: NodeJS.ErrnoException) =>
  error instanceof PlatformError || (error.syscall !== undefined && error.path !== undefined);

const broken = (error: Error) => brokenConnection(error, 'The connection broke while bytes were sent');
