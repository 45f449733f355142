import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Access } from '../auth/access.js';
import { NodeMetrics } from './node-metrics.js';
import { CHEAP } from '../scheduling/work-class.js';

@Controller()
export class MetricsController {
  constructor(private readonly metrics: NodeMetrics) {}

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @RouteConfig({ access: 'public' satisfies Access, work: CHEAP })
  read(): Promise<string> {
    return this.metrics.read();
  }
}
