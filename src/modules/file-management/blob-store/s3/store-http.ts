import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';

/** Maximum idle time of a pooled connection. After longer the store may close it just as it is reused. */
const MAX_IDLE_MS = 4_000;
const ANSWER_BYTES = 64 * 1024;
/** Number of checks within the timeout of a silent store. */
const CHECKS_PER_SILENCE = 4;

/** Error response of the store. The message contains no URL, since a signed URL is a credential. */
export class StoreRefused extends Error {
  constructor(
    readonly status: number,
    readonly code = `HTTP ${status}`,
  ) {
    super(`the store answered ${code}`);
  }
}

/** Timeout of a store that neither sent nor accepted a byte. */
export class StoreSilent extends Error {
  constructor(silenceMs: number) {
    super(`the store did not respond for ${silenceMs} ms`);
  }
}

/** Failure of the content stream, not of the store. */
export class ContentBroke extends Error {
  constructor(readonly reason: unknown) {
    super('The content stream failed');
  }
}

/** Sends requests of the SDK and of this server on pooled connections, with a timeout for a silent store. */
export class StoreHttp {
  private readonly agent: http.Agent;
  private readonly client: typeof http | typeof https;

  constructor(endpoint: URL) {
    this.client = endpoint.protocol === 'https:' ? https : http;
    this.agent = new this.client.Agent({ keepAlive: true, timeout: MAX_IDLE_MS });
  }

  /** Returns a transport for the SDK. Reads responses 408, 429 and 5xx itself, since the SDK would leave their sockets open. */
  transport(silenceMs: number): Pick<typeof http, 'request'> {
    const request = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => {
      const started = this.client.request({ ...options, agent: this.agent });
      started.once('response', (response) => {
        const { statusCode = 0 } = response;
        if (statusCode < 500 && statusCode !== 429 && statusCode !== 408) return onResponse(response);
        readAnswer(response).then(
          ({ code }) => started.emit('error', new StoreRefused(statusCode, code)),
          (error: unknown) => started.emit('error', error),
        );
      });
      return abortWhenSilent(started, silenceMs);
    };
    return { request: request as typeof http.request };
  }

  request(address: string, options: RequestOptions, silenceMs: number): ClientRequest {
    return abortWhenSilent(this.client.request(address, { ...options, agent: this.agent }), silenceMs);
  }
}

/**
 * Sends exactly `sizeBytes`. Holds back the last bytes until the content has ended without an error, so the store discards broken,
 * short or long content.
 * @throws ContentBroke; StoreRefused; errors of the connection
 */
export async function send(request: ClientRequest, content: Readable, sizeBytes: number): Promise<Answer> {
  const answer = answerTo(request);
  // A response before the last byte is a refusal.
  answer.then(() => request.writableEnded || request.destroy()).catch(() => undefined);
  try {
    for await (const chunk of exactly(sizeBytes, content)) {
      if (request.destroyed) break;
      if (!request.write(chunk)) await drained(request);
    }
  } catch (error) {
    request.destroy();
    throw new ContentBroke(error);
  }
  const sentAll = !request.destroyed;
  if (sentAll) request.end();
  const { status, code, etag } = await answer;
  if (!sentAll || status >= 300) throw new StoreRefused(status, code);
  return { status, code, etag };
}

/** Returns the content or range. The stream fails if the connection breaks. */
export async function receiveContent(request: ClientRequest): Promise<IncomingMessage> {
  const expected = request.hasHeader('range') ? 206 : 200;
  request.end();
  const response = await responseTo(request);
  if (response.statusCode === expected) return response;
  const { status, code } = await readAnswer(response);
  throw new StoreRefused(status, code);
}

export interface Answer {
  status: number;
  /** S3 error code. */
  code: string | undefined;
  etag: string | undefined;
}

async function answerTo(request: ClientRequest): Promise<Answer> {
  return readAnswer(await responseTo(request));
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject); // remains after the response, since the connection can still break
    request.once('close', () => reject(new Error('the connection was closed')));
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = '';
  for await (const chunk of response) if (text.length < ANSWER_BYTES) text += String(chunk);
  const { statusCode: status = 0, headers } = response;
  return { status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1], etag: headers.etag?.replaceAll('"', '') };
}

async function* exactly(sizeBytes: number, content: Readable): AsyncGenerator<Buffer> {
  let length = 0;
  let held: Buffer | undefined;
  for await (const piece of content) {
    const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as Uint8Array | string);
    length += chunk.length;
    if (length > sizeBytes) break;
    if (chunk.length === 0) continue;
    if (held) yield held;
    held = chunk;
  }
  if (length !== sizeBytes) {
    throw new Error(`the content has ${length > sizeBytes ? 'more than ' : ''}${length} bytes, expected ${sizeBytes}`);
  }
  if (held) yield held;
}

function drained(request: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.on('drain', done).on('close', done);
    if (request.destroyed) done();
  });
}

/**
 * Aborts a request if no byte moved for `silenceMs` while it waited for the store to connect, read or respond. Time spent waiting for
 * content or for a reader does not count. Compares byte counts at several checks, so that a busy process does not blame the store.
 */
function abortWhenSilent(request: ClientRequest, silenceMs: number): ClientRequest {
  let response: IncomingMessage | undefined;
  let moved = -1;
  let silentFor = 0;
  request.once('response', (answer) => (response = answer));
  const timer = setInterval(() => {
    const { bytesRead = 0, bytesWritten = 0, writableLength = 0 } = request.socket ?? {};
    const now = bytesRead + bytesWritten - writableLength;
    const silent = now === moved && waitsForStore(request, response);
    moved = now;
    silentFor = silent ? silentFor + 1 : 0;
    if (silentFor < CHECKS_PER_SILENCE) return;
    clearInterval(timer);
    (response ?? request).destroy(new StoreSilent(silenceMs));
  }, silenceMs / CHECKS_PER_SILENCE);
  request.once('close', () => clearInterval(timer));
  return request;
}

function waitsForStore(request: ClientRequest, response: IncomingMessage | undefined): boolean {
  if (response) return !response.complete && response.readableLength < response.readableHighWaterMark;
  return !request.socket || request.socket.connecting || request.writableEnded || request.writableLength > 0;
}
