import type { Service } from '../../src/common/auth/scopes.js';

interface GraphqlError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; field?: string };
}

export interface GraphqlAnswer {
  status: number;
  data: any;
  errors: GraphqlError[] | undefined;
  headers: Headers;
}

/** Headers of a key, or of a session as a page of Studio sends it. */
function accessOf(key: string, address: string): Record<string, string> {
  const [, token, tenantId] = /^session (\S+) (\S+)$/.exec(key) ?? [];
  if (!token) return { 'x-api-key': key };
  return { cookie: `platform-session=${token}`, 'x-tenant-id': tenantId!, origin: new URL(address).origin };
}

/** A GraphQL endpoint as used by one caller. */
export class Api {
  constructor(
    readonly address: string,
    readonly service: Service,
    readonly key: string | undefined,
  ) {}

  async send(
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<GraphqlAnswer> {
    const response = await fetch(`${this.address}/${this.service}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(this.key && accessOf(this.key, this.address)), ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await response.json()) as { data?: unknown; errors?: GraphqlError[] };
    return { status: response.status, data: body.data, errors: body.errors, headers: response.headers };
  }

  /** Returns the data of an operation that must succeed. */
  async ask(query: string, variables: Record<string, unknown> = {}): Promise<any> {
    const { data, errors } = await this.send(query, variables);
    if (errors) throw new Error(`${this.service} refused: ${JSON.stringify(errors)}`);
    return data;
  }

  /** Returns the one error of an operation that must fail. */
  async refusal(
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<{ code: string; field?: string; message: string }> {
    const { errors } = await this.send(query, variables);
    if (errors?.length !== 1) throw new Error(`expected one error: ${JSON.stringify(errors)}`);
    return { ...errors[0]!.extensions, message: errors[0]!.message };
  }
}
