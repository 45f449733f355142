import { brokenConnection, errorOf, errorOfAnswer, parse, PlatformError, refusalOf, TimedOutError } from './errors.js';
import { isPassing, retrying } from './retry.js';

/** Connection to the services. */
export interface ClientOptions {
  /** URL of the server, such as `https://services.example.com`. Required. */
  url: string | undefined;
  /**
   * Service access key, which must stay on your server, or a function that returns an access token. The token is kept until the server
   * refuses it as expired or denied; the function is then called again. Required.
   */
  key: string | (() => string | Promise<string>) | undefined;
  /** Number of retries of a repeatable operation; 5 by default. */
  retries?: number;
  /** Time limit of one attempt, in milliseconds; 40,000 by default. The server stops an operation after 30 s. */
  timeoutMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, with the reason of the signal. */
  signal?: AbortSignal;
}

interface Request {
  query: string;
  variables: object;
  /** True if it can be repeated without a further change. */
  isRepeatable: boolean;
}

interface GraphqlAnswer {
  data?: { readonly [field: string]: unknown } | null;
  errors?: { message: string; extensions?: { code?: string; field?: string } }[];
}

/** Error codes of an operation that changed nothing. */
const REFUSALS = new Set([
  'BAD_REQUEST',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'FAILED_PRECONDITION',
  'RATE_LIMITED',
]);

/** Sends operations to the services, and retries repeatable ones. */
export class Transport {
  private readonly url: string;
  private readonly key: string | (() => string | Promise<string>);
  private token: Promise<string> | undefined;
  private readonly retries: number;
  private readonly timeoutMs: number;
  private readonly fetch: typeof globalThis.fetch;

  constructor({ url, key, retries = 5, timeoutMs = 40_000, fetch = globalThis.fetch }: ClientOptions) {
    if (typeof url !== 'string') throw new TypeError('url is not set: it must be the address of the server');
    if (!/^https?:\/\//.test(url)) throw new TypeError('url must be the http or https address of the server');
    if (typeof key === 'string') checkKey(key);
    else if (typeof key !== 'function') throw new TypeError('key is not set: it must be a service access key');
    this.url = url.replace(/\/+$/, '');
    this.key = key;
    this.retries = retries;
    this.timeoutMs = timeoutMs;
    this.fetch = fetch;
  }

  /** Returns the data of an operation. @throws PlatformError for the first of its errors, or without an answer */
  async send(service: string, request: Request, { signal }: CallOptions = {}): Promise<{ readonly [field: string]: unknown }> {
    const token = this.token;
    try {
      return await this.repeat(service, request, signal);
    } catch (error) {
      if (!token || !(error instanceof PlatformError && error.code === 'UNAUTHENTICATED')) throw error;
      if (this.token === token) this.token = undefined;
      return this.repeat(service, request, signal);
    }
  }

  private repeat(service: string, { query, variables, isRepeatable }: Request, signal: AbortSignal | undefined) {
    const body = JSON.stringify({ query, variables });
    return retrying(() => this.try(service, body, signal), {
      retries: this.retries,
      signal,
      mayRepeat: (error) => isPassing(error) && (isRepeatable || !error.mayHaveHappened),
    });
  }

  /** Pages can send tokens in `authorization` only. */
  private async credential(): Promise<Record<string, string>> {
    const { key } = this;
    if (typeof key === 'string') return { 'x-api-key': key };
    const token = (this.token ??= Promise.resolve(key()));
    try {
      return { authorization: `Bearer ${checkKey(await token)}` };
    } catch (error) {
      if (this.token === token) this.token = undefined;
      throw error;
    }
  }

  private async try(service: string, body: string, signal: AbortSignal | undefined) {
    const credential = await this.credential();
    const timeout = AbortSignal.timeout(this.timeoutMs);
    try {
      const response = await this.fetch(`${this.url}/${service}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...credential },
        body,
        redirect: 'error', // the key must not follow to another address
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      return dataOf(response, await response.text());
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted) throw new TimedOutError(`No answer came within ${this.timeoutMs} ms`);
      throw brokenConnection(error, 'The connection broke');
    }
  }
}

function checkKey(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key must be a service access key, or return an access token');
  return key;
}

function dataOf(response: Response, text: string) {
  const head = { status: response.status, header: (name: string) => response.headers.get(name) };
  const { data, errors } = (parse(text) ?? {}) as GraphqlAnswer;
  if (errors?.length) {
    const [{ message, extensions }] = errors as [NonNullable<GraphqlAnswer['errors']>[number]];
    const code = extensions?.code ?? 'INTERNAL_SERVER_ERROR';
    const refusal = refusalOf(head);
    // Another field of the same document may have changed something before.
    const isNothingDone = REFUSALS.has(code) && Object.values(data ?? {}).every((value) => value === null);
    const mayHaveHappened = refusal.mayHaveHappened && !isNothingDone;
    throw errorOf(code, message, { ...refusal, field: extensions?.field, mayHaveHappened });
  }
  if (!data) throw errorOfAnswer(head, text);
  return data;
}
