import { Controller, Get, Header, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { Access } from '../common/auth/access.js';
import { KeyDescriptionService } from './key-description.service.js';
import type { KeyDescription } from './key-description.service.js';
import { CHEAP } from '../common/scheduling/work-class.js';

@Controller('key')
export class KeyController {
  constructor(private readonly keys: KeyDescriptionService) {}

  /** Returns the rights of a key, and the limits of its tenant. */
  @Get()
  @Header('cache-control', 'no-store')
  @RouteConfig({ access: 'key' satisfies Access, work: CHEAP })
  describe(@Req() { caller }: FastifyRequest): Promise<KeyDescription> {
    return this.keys.describe(caller!);
  }
}
