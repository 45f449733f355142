import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { RenderPool } from './rendering/render-pool.js';
import { RenderingService } from './rendering.service.js';
import { TemplateEngine } from './template-engine.js';

/** Rendering for other services too. Without resolvers: who imports those serves them. */
@Module({ providers: [RenderPool, TemplateEngine, RenderingService], exports: [TemplateEngine, RenderingService] })
export class RenderingModule {
  constructor(readiness: Readiness, pool: RenderPool) {
    readiness.add('renderer', 'document-rendering', () => pool.check());
  }
}
