import { isIP } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import type { Config } from '../config/config.js';
import { AppError } from '../base/app-error.js';
import { Connections, type Resolve } from './connections.js';
import { faultOf, OutboundFault, OutboundTimeout } from './fault-texts.js';
import { hostOf, NetworkGuard } from './network-guard.js';
import { resolveHost } from './resolve-host.js';

type Headers = Record<string, string>;

export interface OutboundRequest {
  tenantId: string;
  url: string;
  /** HTTP method, POST by default. */
  method?: 'GET' | 'POST' | 'PUT';
  /** Headers, or a function called once the request has a slot, for headers that contain the time. */
  headers: Headers | (() => Headers);
  /** Undefined for GET. */
  body: string | Buffer | undefined;
  /** Time limit for connection, headers and response. It starts once the request has a slot of its tenant at the origin. */
  timeoutMs: number;
  /** Maximum bytes read of the response. The connection is closed if there are more. */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** HTTP status. Redirects are not followed. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Beginning of the body as UTF-8, cut between characters. U+FFFD replaces invalid UTF-8 and NUL, which no database stores. */
  answer: string;
  durationMs: number;
}

/** Headers that control framing or routing, set only by this code. */
const OWN_HEADERS = /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/**
 * Sends requests to URLs set by tenants. Calls only public addresses and those of WEBHOOK_ALLOWED_NETWORKS; always verifies
 * certificates. With HTTPS_PROXY every request uses a tunnel of the proxy. The name is then resolved twice, here for the check and by
 * the proxy, which must itself refuse internal addresses if the name may change in between.
 */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly guard: NetworkGuard;
  private readonly connections: Connections;

  /** Accepts another `resolve` in tests, for names that change their address. */
  constructor(
    private readonly config: Pick<Config, 'outbound'>,
    resolve: Resolve = (host) => resolveHost(host),
  ) {
    this.guard = new NetworkGuard(config.outbound.allowedNetworks, config.outbound.allowHttp);
    this.connections = new Connections(config.outbound, this.guard, resolve);
  }

  /** Validates a URL by its text. Returns the error message, such as "must begin with https://", or undefined. */
  problemOf(url: string): string | undefined {
    return this.guard.problemOf(url);
  }

  /** Returns whether a tenant may set a header. The others control framing or routing. */
  maySet(header: string): boolean {
    return !OWN_HEADERS.test(header);
  }

  /**
   * Sends a request, without following redirects. @throws OutboundFault without a response, for the tenant to read;
   * SERVICE_UNAVAILABLE, with nothing sent, if too many requests of the tenant to the origin are running
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const problem = this.problemOf(request.url);
    if (problem) throw new OutboundFault(`the URL ${problem}`);
    const url = new URL(request.url);
    try {
      const route = { tenantId: request.tenantId, origin: url.origin, signal: request.signal };
      return await this.connections.use(route, ({ dispatcher, reset }) => this.exchange(dispatcher, reset, url, request));
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw faultOf(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connections.destroy();
  }

  private async exchange(dispatcher: Dispatcher, reset: boolean, url: URL, request: OutboundRequest): Promise<OutboundAnswer> {
    const { method = 'POST', body, timeoutMs, maxAnswerBytes } = request;
    const headers = typeof request.headers === 'function' ? request.headers() : request.headers;
    const own = Object.keys(headers).find((name) => !this.maySet(name));
    if (own) throw new OutboundFault(`the header ${own} must not be set`);
    const started = performance.now();
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      const isJudgedHere = this.config.outbound.proxy !== undefined && isIP(hostOf(url)) === 0;
      if (isJudgedHere) await Promise.race([this.connections.judge(hostOf(url)), aborted(signal)]);
      const to = { origin: url.origin, path: url.pathname + url.search };
      const limits = { signal, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
      const answered = await dispatcher.request({ ...to, method, headers, body, reset, ...limits });
      const answer = await beginning(answered.body, maxAnswerBytes);
      const durationMs = Math.round(performance.now() - started);
      return { status: answered.statusCode, headers: answered.headers, answer, durationMs };
    } catch (error) {
      if (timeout.aborted) throw new OutboundTimeout(`the server did not answer within ${timeoutMs / 1_000} s`);
      throw error;
    }
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

/** Reads up to a number of bytes as text. Leaving the loop destroys the stream and its connection. */
async function beginning(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let left = maxBytes;
  for await (const chunk of body) {
    text += decoder.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  if (left >= 0) text += decoder.end();
  return text.replaceAll('\0', '\uFFFD');
}
