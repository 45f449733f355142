import { Module } from '@nestjs/common';
import { CssResolver } from './css.resolver.js';
import { DocumentRenderingResolver } from './document-rendering.resolver.js';
import { StylesheetsService } from './stylesheets.service.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';
import { RenderingModule } from './rendering.module.js';
import { RenderingResolver } from './rendering.resolver.js';
import { TemplatesResolver } from './templates.resolver.js';
import { TemplatesService } from './templates.service.js';

/** Renders text and HTML templates with parameters. What a template can do is bounded: it never runs code and never reads anything but its parameters. */
@Module({
  imports: [RenderingModule],
  providers: [
    DocumentRenderingResolver,
    CssResolver,
    TemplatesResolver,
    RenderingQuotasService,
    StylesheetsService,
    TemplatesService,
    RenderingResolver,
  ],
})
export class DocumentRenderingModule {}
