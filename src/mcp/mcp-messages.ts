import { Injectable } from '@nestjs/common';
import type { AuthInfo, McpHttpHandler, McpRequestContext, Server } from '@modelcontextprotocol/server';
import { Config } from '../common/config/config.js';
import { Logger } from '../common/logging/logger.js';
import { SERVER_NAME } from './direct-call.js';
import { type Exchange, ToolCalls } from './tool-calls.js';
import { Tools } from './tools.js';

/** Headers that the SDK reads. */
const READ = /^(accept|content-type|mcp-[a-z-]+)$/;

const INSTRUCTIONS = `Each tool is one operation of platform-services, for the tenant of the key. The list has the tools that the key's scope allows.
A result is JSON. A page has items and nextToken: call the tool again with that nextToken and the same arguments to get the next page; null ends the list.
A failed call returns errors with a code, the field and a message that says what to send.
Send file content by HTTP PUT to the uploadUrl that files_create_file returns, and read it by GET from the downloadUrl.`;

/** HTTP response to a message. */
export interface Answer {
  status: number;
  contentType: string | null;
  body: string;
}

/**
 * Answers messages of MCP with the official SDK. Stateless: each request is answered by a server object of its own, so that any node can
 * answer any request and nothing is held between requests. The SDK is loaded by the first message, since it takes 25 MB of memory.
 */
@Injectable()
export class McpMessages {
  private handler?: Promise<McpHttpHandler>;

  constructor(
    private readonly tools: Tools,
    private readonly calls: ToolCalls,
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  async answer(message: unknown, exchange: Exchange): Promise<Answer> {
    const { fetch } = await (this.handler ??= this.load());
    const headers = Object.entries(exchange.request.headers).filter(
      (header): header is [string, string] => READ.test(header[0]) && typeof header[1] === 'string',
    );
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    // The SDK passes authInfo on to the server object of the request; its token is never read.
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [], extra: { exchange } };
    const response = await fetch(request, { parsedBody: message, authInfo });
    return { status: response.status, contentType: response.headers.get('content-type'), body: await response.text() };
  }

  private async load(): Promise<McpHttpHandler> {
    const {
      createMcpHandler,
      ProtocolError,
      ProtocolErrorCode,
      Server: McpServer,
    } = await import('@modelcontextprotocol/server');
    const serverOf = ({ authInfo }: McpRequestContext): Server => {
      const { exchange } = authInfo!.extra as { exchange: Exchange };
      const serverInfo = { name: SERVER_NAME, version: this.config.version };
      const server = new McpServer(serverInfo, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
      server.setRequestHandler('tools/list', () => ({ tools: this.tools.allowed(exchange.request.caller!) }));
      server.setRequestHandler('tools/call', async ({ params }) => {
        const tool = this.tools.find(params.name);
        if (tool) return { ...(await this.calls.run(tool, params.arguments ?? {}, exchange)) };
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Unknown tool: ${params.name.slice(0, 100)}; tools/list has those of the key`,
        );
      });
      return server;
    };
    const onerror = (error: Error) => this.logger.debug({ err: error }, 'a message of MCP was refused');
    return createMcpHandler(serverOf, { onerror, maxSubscriptions: 0 }); // the tools of a key change with a release only
  }
}
