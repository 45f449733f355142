import type { TenantService } from '../../common/events/outbox/event.js';

const LIMIT_MS = 40_000;

/** Refusal by the server, with its error code. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Missing response, or one not written by the server. */
export class Unreachable extends Error {}

interface Answer<T> {
  data?: T | null;
  errors?: { message: string; extensions?: { code?: string } }[];
  code?: string;
  message?: string;
}

/** GraphQL API of a running server, local or remote, with the rights of a key. */
export class ServedApi {
  constructor(
    private readonly address: string,
    private readonly key: string,
  ) {}

  /** Runs an operation and returns its data. @throws Refusal, Unreachable, or the reason of the signal */
  async ask<T>(service: TenantService, query: string, variables: object, signal?: AbortSignal): Promise<T> {
    const answer = await this.send<T>(service, JSON.stringify({ query, variables }), signal);
    const [error] = answer.errors ?? [];
    if (error) throw new Refusal(error.extensions?.code ?? '', error.message);
    if (answer.code) throw new Refusal(answer.code, answer.message ?? answer.code);
    if (!answer.data) throw new Unreachable(`${this.address} is not a platform-services server`);
    return answer.data;
  }

  private async send<T>(service: TenantService, body: string, signal?: AbortSignal): Promise<Answer<T>> {
    const timeout = AbortSignal.timeout(LIMIT_MS);
    try {
      const response = await fetch(`${this.address}/${service}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': this.key },
        body,
        redirect: 'error', // the key must not be sent to another URL
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await response.text();
      return (isJson(response) ? JSON.parse(text) : {}) as Answer<T>;
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unreachable(`${this.address} does not answer: ${faultOf(error)}`);
    }
  }
}

const isJson = ({ headers }: Response): boolean => /^application\/(.+\+)?json\b/.test(headers.get('content-type') ?? '');

/** Returns the cause that `fetch` hides behind "fetch failed". */
export function faultOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } };
  return cause?.message || cause?.code || message;
}
