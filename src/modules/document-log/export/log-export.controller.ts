import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { answerError } from '../../../common/http/refusals/http-errors.js';
import { Logger } from '../../../common/logging/logger.js';
import { LogExportService } from './log-export.service.js';

interface ExportRoute {
  Querystring: Record<string, unknown>;
}

/** Serves the log as a file, to callers who may query `logs`. */
@Injectable()
export class LogExportController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly exports: LogExportService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope) => this.route(scope), { prefix: '/document-log' });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    const asLogs: RouteShorthandOptions = {
      config: { access: { service: 'document-log', kind: 'query', operation: 'logs' } },
      exposeHeadRoute: false,
    };
    scope.get<ExportRoute>('/export', asLogs, (request, reply) => this.answer(request, reply));
  }

  private async answer(request: FastifyRequest<ExportRoute>, reply: FastifyReply): Promise<FastifyReply> {
    const { contentType, fileName, content } = await this.exports.start(request.caller!, request.query);
    return reply
      .headers({ 'content-type': contentType, 'content-disposition': `attachment; filename="${fileName}"` })
      .headers({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' })
      .send(content);
  }
}
