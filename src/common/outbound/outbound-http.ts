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
  /** POST unless given. */
  method?: 'POST' | 'PUT';
  /** A function is called once the request has a slot, for headers that name the time. */
  headers: Headers | (() => Headers);
  body: string | Buffer;
  /** Time for connecting, the headers and the answer. It begins once the request has a slot of its tenant at the origin. */
  timeoutMs: number;
  /** Bytes of the answer that are read; the connection is closed where there are more. */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** A redirect is an answer as any other: it is not followed. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Beginning of the body as UTF-8, cut between characters; U+FFFD stands for what is not UTF-8 and for NUL, which no database keeps. */
  answer: string;
  durationMs: number;
}

/** Headers that decide how a request is framed or where it goes, which is the part of this room. */
const OWN_HEADERS = /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

/**
 * Sends requests to addresses that tenants name. Only public addresses are called, and those of WEBHOOK_ALLOWED_NETWORKS; certificates
 * are always verified. With HTTPS_PROXY every request goes through a tunnel of the proxy: a name is resolved here to be judged, and
 * by the proxy again, which has to refuse inner addresses itself where a name may change in between.
 */
@Injectable()
export class OutboundHttp implements OnApplicationShutdown {
  private readonly guard: NetworkGuard;
  private readonly connections: Connections;

  /** `resolve` asks name servers, but in tests of names that change their address. */
  constructor(
    private readonly config: Pick<Config, 'outbound'>,
    resolve: Resolve = (host) => resolveHost(host),
  ) {
    this.guard = new NetworkGuard(config.outbound.allowedNetworks, config.outbound.allowHttp);
    this.connections = new Connections(config.outbound, this.guard, resolve);
  }

  /** Returns the problem of an address that must not be called, such as "must begin with https://", judged by its text; or undefined. */
  problemOf(url: string): string | undefined {
    return this.guard.problemOf(url);
  }

  /** Whether a tenant may name a header; the others decide how a request is framed or where it goes. */
  maySet(header: string): boolean {
    return !OWN_HEADERS.test(header);
  }

  /**
   * Sends a request and follows no redirect. @throws OutboundFault if there is no answer, for the tenant to read; SERVICE_UNAVAILABLE
   * with nothing sent while too many requests of the tenant to the same origin are under way
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const problem = this.problemOf(request.url);
    if (problem) throw new OutboundFault(`the address ${problem}`);
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

/** Reads up to so many bytes as text. Leaving the loop destroys the stream, and its connection. */
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
