import { Module } from '@nestjs/common';
import { CssResolver } from './css.resolver.js';
import { DocumentRenderingResolver } from './document-rendering.resolver.js';
import { StylesheetsService } from './stylesheets.service.js';
import { RenderPool } from './rendering/render-pool.js';
import { RenderingResolver } from './rendering.resolver.js';
import { RenderingService } from './rendering.service.js';
import { TemplateEngine } from './template-engine.js';
import { TemplatesResolver } from './templates.resolver.js';
import { TemplatesService } from './templates.service.js';

/** Renders text and HTML templates with parameters. What a template can do is bounded: it never runs code and never reads anything but its parameters. */
@Module({
  providers: [
    DocumentRenderingResolver,
    CssResolver,
    TemplatesResolver,
    StylesheetsService,
    TemplatesService,
    RenderPool,
    TemplateEngine,
    RenderingService,
    RenderingResolver,
  ],
})
export class DocumentRenderingModule {}
