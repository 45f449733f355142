import { Controller, Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { Access } from '../auth/access.js';
import { type Health, Readiness } from './readiness.js';

@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs; restart it when this fails. */
  @Get('live')
  @RouteConfig({ access: 'public' satisfies Access })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The node can do its work; send it no requests while this answers 503. */
  @Get('ready')
  @RouteConfig({ access: 'public' satisfies Access })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const health = await this.readiness.read();
    void reply.code(health.status === 'unavailable' ? 503 : 200);
    return health;
  }
}
