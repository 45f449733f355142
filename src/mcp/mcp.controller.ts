import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { AppError } from '../common/base/app-error.js';
import { Config } from '../common/config/config.js';
import { PublicAddress } from '../common/http/public-address.js';
import { CHEAP } from '../common/scheduling/work-class.js';
import { directCallOf } from './direct-call.js';
import { McpMessages } from './mcp-messages.js';
import { ToolCalls } from './tool-calls.js';
import { Tools } from './tools.js';

const ROUTE: RouteShorthandOptions = { config: { access: 'key', work: CHEAP, runsOperations: true } };

/** Serves MCP by streamable HTTP, without sessions: POST only. */
@Injectable()
export class McpController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly address: PublicAddress,
    private readonly config: Config,
    private readonly tools: Tools,
    private readonly calls: ToolCalls,
    private readonly messages: McpMessages,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    server.post('/mcp', ROUTE, (request, reply) => this.answer(request, reply));
  }

  private async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.checkOrigin(request);
    void reply.header('cache-control', 'no-store');
    const { body } = request;
    if (Array.isArray(body)) throw new AppError('BAD_REQUEST', 'Batches are not accepted; send one message per request');
    const exchange = { request, reply };
    const call = directCallOf(request, this.tools, this.config.version);
    if (call) {
      const result = await this.calls.run(call.tool, call.given, exchange);
      return reply.type('application/json').send(JSON.stringify(call.answer(result)));
    }
    const answer = await this.messages.answer(body, exchange);
    if (answer.contentType !== null) void reply.type(answer.contentType);
    return reply.code(answer.status).send(answer.body || undefined);
  }

  /** Refuses pages of other origins, as MCP demands against DNS rebinding. Other clients send no Origin. @throws FORBIDDEN */
  private checkOrigin({ headers: { origin } }: FastifyRequest): void {
    if (origin === undefined || origin === new URL(this.address.http).origin) return;
    throw new AppError('FORBIDDEN', 'Pages of other origins cannot call MCP; send the request without Origin, from a program');
  }
}
