import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { RenderMetrics } from './engine/render-metrics.js';
import { ComposerService } from './templates/composer.service.js';
import { RenderPool } from './engine/render-pool.js';
import { RenderingService } from './rendering.service.js';
import { TemplateVersionsService } from './templates/template-versions.service.js';
import { TemplateEngine } from './engine/template-engine.js';

/** Renders templates, also for other services. Has no resolvers, since an importing module would serve them in its own schema. */
@Module({
  providers: [RenderMetrics, RenderPool, TemplateEngine, ComposerService, TemplateVersionsService, RenderingService],
  exports: [TemplateEngine, ComposerService, TemplateVersionsService, RenderingService],
})
export class RenderingModule {
  constructor(readiness: Readiness, pool: RenderPool) {
    readiness.add('renderer', 'document-rendering', () => pool.check());
  }
}
