import { RestOperations, type RestOperation } from '../../src/rest/rest-operations.js';
import type { TestServer } from './server.js';

export interface RestAnswer {
  status: number;
  headers: Headers;
  body: any;
}

interface RestRequest {
  query?: string | Record<string, string> | [string, string][];
  body?: unknown;
  headers?: Record<string, string>;
}

/** The REST routes as used by one caller. */
export class Rest {
  constructor(
    private readonly address: string,
    readonly key: string | undefined,
  ) {}

  /** Sends a request to a path below /v1. A body that is no Buffer is sent as JSON. */
  async send(method: string, path: string, { query = '', body, headers = {} }: RestRequest = {}): Promise<RestAnswer> {
    const search = String(new URLSearchParams(query));
    const isJson = body !== undefined && !Buffer.isBuffer(body);
    const response = await fetch(`${this.address}/v1${path}${search && `?${search}`}`, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...(this.key && { 'x-api-key': this.key }), ...headers },
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  }

  /** Returns the answer to a request that must succeed. */
  async ask(method: string, path: string, request: RestRequest = {}): Promise<any> {
    const { status, body } = await this.send(method, path, request);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}

/** All operations with the routes of a server. */
export const operationsOf = (server: TestServer): readonly RestOperation[] =>
  server.app.get(RestOperations, { strict: false }).all;

/** The path of an operation, with a value for each of its parameters. */
export const pathOf = ({ path }: RestOperation, valueOf: (name: string) => string = () => 'x'): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
