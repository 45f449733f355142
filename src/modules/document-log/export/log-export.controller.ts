// Room: Streams a log as CSV, NDJSON or a bundle.
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../../common/auth/access.js';
import { answerError } from '../../../common/http/refusals/http-errors.js';
import { Logger } from '../../../common/logging/logger.js';
import { HeavyWork } from '../../../common/scheduling/heavy-work.js';
import { LogExportService } from './log-export.service.js';

/** Memory of one page of rows with its text. */
const NEEDS = { memoryBytes: 8 * 1024 * 1024, cost: 1_000 };

interface ExportRoute {
  Querystring: Record<string, unknown>;
}

/** Serves the log as a file. Requires the scope of the query `logs`. */
@Injectable()
export class LogExportController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly exports: LogExportService,
    private readonly heavy: HeavyWork,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    void server.register((scope) => this.route(scope), { prefix: '/document-log' });
  }

  private async route(scope: FastifyInstance): Promise<void> {
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    const access: Access = { service: 'document-log', kind: 'query', operation: 'logs' };
    const asLogs = this.heavy.streams.route({ access }, NEEDS);
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
