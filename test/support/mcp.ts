import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import type { Service } from '../../src/common/auth/scopes.js';

/** First parts of tool names, with their services. */
const SERVICES: Record<string, Service> = {
  files: 'file-management',
  rendering: 'document-rendering',
  push: 'websockets-manager',
  log: 'document-log',
  email: 'email',
};

/** Headers with which a client of the version 2025-11-25 sends a message. */
export const headersOf = (key: string): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
  'x-api-key': key,
});

/** Message that calls a tool. */
export const callOf = (name: string, given: object = {}, more: object = {}): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: given, ...more },
});

/** Returns the service and the operation of a tool. */
export function operationOf({ name }: Pick<Tool, 'name'>): { service: Service; operation: string } {
  const [prefix, ...words] = name.split('_');
  return {
    service: SERVICES[prefix!]!,
    operation: words.map((word, at) => (at === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join(''),
  };
}

/** Message of the server to one HTTP request, and the response that it came in. */
export interface McpAnswer {
  status: number;
  headers: Headers;
  message: any;
}

/** Sends one message without a client. */
export async function post(address: string, body: unknown, headers: Record<string, string>): Promise<McpAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${address}/mcp`, { method: 'POST', headers, body: text });
  return { status: response.status, headers: response.headers, message: messageIn(await response.text()) };
}

/** Returns the message in a response, which is JSON or one server-sent event; undefined without one. */
export function messageIn(text: string): any {
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return data === '' ? undefined : JSON.parse(data);
}

/** Connects the official client. */
export async function connect(address: string, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }));
  return client;
}

/** Result of a tool: whether it failed, and its JSON. */
export interface Called {
  isError: boolean;
  value: any;
}

/** Calls a tool with the official client. */
export async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [first] = content;
  if (content.length !== 1 || first?.type !== 'text') throw new Error(`${name} returned ${JSON.stringify(content)}`);
  return { isError, value: JSON.parse(first.text) };
}
