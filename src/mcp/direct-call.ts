import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isJsonObject } from '../common/base/json.js';
import type { ToolResult } from './tool-calls.js';
import type { Tool, Tools } from './tools.js';

/** Call of a tool, and the message that answers it. */
export interface DirectCall {
  tool: Tool;
  given: Record<string, unknown>;
  answer(result: ToolResult): object;
}

/** Versions of the protocol with a handshake, in which a call has nothing but its name and arguments. */
const WITH_HANDSHAKE = new Set(['2025-06-18', '2025-11-25']);
/** First version without a handshake: each call names its version and its client. */
const WITHOUT_HANDSHAKE = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS = new Set(['name', 'arguments', '_meta']);
const VERSION = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;
const CLIENT = `${META}clientInfo`;
const ENVELOPE = new Set([VERSION, CAPABILITIES, CLIENT]);

/**
 * Reads a plain call of a known tool, which then runs without the SDK: that would take as long again as reading a file. Returns undefined
 * for any other message, so that all refusals of the protocol come from the SDK.
 */
export function directCallOf({ body, headers }: FastifyRequest, tools: Tools, version: string): DirectCall | undefined {
  if (!isJsonObject(body) || !acceptsBoth(headers)) return undefined;
  const { jsonrpc, id, method, params } = body;
  const isCall = jsonrpc === '2.0' && method === 'tools/call' && (typeof id === 'string' || Number.isSafeInteger(id));
  if (!isCall || !isJsonObject(params) || !hasOnly(body, MEMBERS)) return undefined;
  const { name, arguments: given = {}, _meta: meta } = params;
  if (typeof name !== 'string' || !isJsonObject(given) || !hasOnly(params, PARAMS)) return undefined;
  const tool = tools.find(name);
  const protocol = headers['mcp-protocol-version'];
  if (!tool || typeof protocol !== 'string') return undefined;
  if (WITH_HANDSHAKE.has(protocol)) {
    return meta === undefined ? { tool, given, answer: (result) => ({ jsonrpc, id, result }) } : undefined;
  }
  if (protocol !== WITHOUT_HANDSHAKE || !isWithoutHandshake(meta, name, headers)) return undefined;
  const of = { resultType: 'complete', _meta: { [`${META}serverInfo`]: { name: SERVER_NAME, version } } };
  return { tool, given, answer: (result) => ({ jsonrpc, id, result: { ...result, ...of } }) };
}

/** Name of the server, for clients of MCP. */
export const SERVER_NAME = 'platform-services';

function isWithoutHandshake(meta: unknown, name: string, headers: IncomingHttpHeaders): boolean {
  if (headers['mcp-method'] !== 'tools/call' || headers['mcp-name'] !== name || !isJsonObject(meta)) return false;
  const { [VERSION]: version, [CAPABILITIES]: can, [CLIENT]: client } = meta;
  const isNamed = isJsonObject(client) && typeof client.name === 'string' && typeof client.version === 'string';
  return version === WITHOUT_HANDSHAKE && isJsonObject(can) && isNamed && hasOnly(meta, ENVELOPE);
}

const acceptsBoth = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.includes('application/json') && accept.includes('text/event-stream');

/** Compares names, since a copy of the other members takes 1 µs. */
function hasOnly(object: object, names: ReadonlySet<string>): boolean {
  for (const name in object) if (!names.has(name)) return false;
  return true;
}
