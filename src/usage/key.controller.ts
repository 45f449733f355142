import { Controller, Get, Header, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../common/auth/access.js';
import { KeyDescriptionService } from './key-description.service.js';
import type { KeyDescription } from './key-description.service.js';
import { RequestsService } from './requests.service.js';
import type { Requests } from './requests.service.js';
import { CHEAP } from '../common/scheduling/work-class.js';

@Controller('key')
export class KeyController {
  constructor(
    private readonly keys: KeyDescriptionService,
    private readonly requests: RequestsService,
  ) {}

  /** Returns the rights of a key or session, and the limits of its tenant. */
  @Get()
  @Header('cache-control', 'no-store')
  @RouteConfig({ access: 'key' satisfies Access, acceptsSessions: true, work: CHEAP })
  describe(@Req() { caller }: FastifyRequest): Promise<KeyDescription> {
    return this.keys.describe(caller!);
  }

  /** Returns what was requested with the keys of the tenant in the last hours. */
  @Get('requests')
  @Header('cache-control', 'no-store')
  @RouteConfig({ access: 'key' satisfies Access, work: CHEAP })
  listRequests(@Req() { caller }: FastifyRequest, @Query('hours') hours?: string): Promise<Requests> {
    return this.requests.read(caller!, hours);
  }
}
