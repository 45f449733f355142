import { Controller, Get, Param, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { Access } from '../auth/access.js';
import { type Service, SERVICES } from '../auth/scopes.js';
import { AppError } from '../base/app-error.js';
import { type Health, type NodeHealth, Readiness } from './readiness.js';
import { CHEAP } from '../scheduling/work-class.js';

@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Reports that the process runs. Restart it if this fails. */
  @Get('live')
  @RouteConfig({ access: 'public' satisfies Access, work: CHEAP })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Reports whether the node can do at least part of its work. Send it no requests while this returns 503. */
  @Get('ready')
  @RouteConfig({ access: 'public' satisfies Access, work: CHEAP })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<NodeHealth> {
    return withStatus(reply, await this.readiness.read());
  }

  /** Reports whether one service can work. Send the node none of its requests while this returns 503. */
  @Get('ready/:service')
  @RouteConfig({ access: 'public' satisfies Access, work: CHEAP })
  async serviceReady(@Param('service') service: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    if (!isService(service)) throw new AppError('NOT_FOUND', `The services are ${SERVICES.join(', ')}`);
    return withStatus(reply, await this.readiness.readService(service));
  }
}

const isService = (name: string): name is Service => SERVICES.some((service) => service === name);

function withStatus<H extends Health>(reply: FastifyReply, health: H): H {
  void reply.code(health.status === 'unavailable' ? 503 : 200).header('cache-control', 'no-store');
  return health;
}
