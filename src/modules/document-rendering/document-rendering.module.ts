import { accessOperations } from '../../common/access/access-operations.js';
import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { RENDERING_EVENTS } from './templates/rendering-events.js';
import { DocumentRenderingSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { TenantData } from '../../common/tenants/tenant-data.js';
import { CssResolver } from './templates/css.resolver.js';
import { StylesheetsService } from './templates/stylesheets.service.js';
import { RenderingQuotasService } from './templates/rendering-quotas.service.js';
import { RenderedFilesResolver } from './rendered-files.resolver.js';
import { RenderedFilesModule } from './rendered-files.module.js';
import { RenderingModule } from './rendering.module.js';
import { RenderingResolver } from './rendering.resolver.js';
import { PartChangesService } from './templates/part-changes.service.js';
import { PartialsResolver } from './templates/partials.resolver.js';
import { PartialsService } from './templates/partials.service.js';
import { TemplatesResolver } from './templates/templates.resolver.js';
import { TranslationsResolver } from './templates/translations.resolver.js';
import { TemplateSavesService } from './templates/template-saves.service.js';
import { TranslationsService } from './templates/translations.service.js';
import { TemplatesService } from './templates/templates.service.js';

/** Renders text and HTML templates with parameters. Templates run no code and read nothing except their parameters. */
@Module({
  imports: [RenderingModule, RenderedFilesModule],
  providers: [
    versionResolver('document-rendering'),
    accessOperations({ service: 'document-rendering', marker: DocumentRenderingSchema }),
    ...webhookOperations({ service: 'document-rendering', marker: DocumentRenderingSchema, kinds: RENDERING_EVENTS }),
    CssResolver,
    PartialsResolver,
    PartialsService,
    PartChangesService,
    TemplatesResolver,
    TranslationsResolver,
    TemplateSavesService,
    TranslationsService,
    RenderingQuotasService,
    StylesheetsService,
    TemplatesService,
    RenderingResolver,
    RenderedFilesResolver,
  ],
})
export class DocumentRenderingModule {
  constructor(data: TenantData) {
    data.addRows('templates', 'Template', 'id');
    data.addRows('stylesheets', 'Css', 'id');
    data.addRows('partials', 'TemplatePartial', 'id');
    data.addRows('uses of partials', 'PartialUse', 'tenantId', 'partialId', 'userId');
    data.addRows('translations of templates', 'TemplateTranslation', 'id');
    data.addRows('versions of templates', 'TemplateVersion', 'id');
    data.addRows('counts of changes', 'PartsRevision', 'tenantId');
    data.addAuthors('authors of templates', 'Template');
    data.addAuthors('authors of stylesheets', 'Css');
    data.addAuthors('authors of partials', 'TemplatePartial');
    data.addAuthors('authors of translations', 'TemplateTranslation');
    data.addAuthors('authors of versions', 'TemplateVersion');
  }
}
