import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { INHERITED } from '../models/limits.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { MAX_LIMIT, PAGE_BYTES } from '../../../common/lists/page.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { AuthorInput } from '../models/author.model.js';
import { CreateTemplateInput, TemplatesFilter, TemplateTranslationInput, UpdateTemplateInput } from './template.inputs.js';
import { Template, TemplatesOrder, TemplatesResult, TemplateTranslation } from '../models/template.model.js';
import { TemplateVersionsResult } from './template-version.model.js';
import { TemplatesService } from './templates.service.js';
import { TranslationsService } from './translations.service.js';
import { TemplateVersionsService } from './template-versions.service.js';
import { Cheap, Rendering } from '../../../common/scheduling/work-class.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { MAX_TRANSLATED, MAX_TRANSLATIONS, MAX_VERSIONS, MAX_VERSIONS_SIZE } from '../models/limits.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';

const nullable = true;
const LOCALE = {
  type: () => String,
  description: 'IETF language tag of a known language, such as de-CH. Extensions are ignored.',
};
const TEMPLATE_ID = { type: () => ID, description: 'Id of the template.' };

@Resolver(() => Template)
@AccessByScope('document-rendering')
export class TemplatesResolver {
  constructor(
    private readonly templates: TemplatesService,
    private readonly translations: TranslationsService,
    private readonly versions: TemplateVersionsService,
  ) {}

  @Query(() => TemplatesResult, {
    name: 'templates',
    nullable,
    description:
      `Templates, oldest first unless order says otherwise. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} by default. ` +
      `A page ends early when its rows, with their parentCss, reach ${asBytes(PAGE_BYTES)}.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => TemplatesFilter, nullable, description: 'Conditions that templates must match.' })
    filter: TemplatesFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
    @Args('order', { type: () => TemplatesOrder, nullable, description: 'Sort order; OLDEST by default.' })
    order: TemplatesOrder | null,
  ): Promise<TemplatesResult> {
    return this.templates.page(caller, { filter, order }, nextToken, limit);
  }

  @Rendering()
  @Mutation(() => Template, {
    nullable,
    description:
      'Creates a template. CONFLICT if the name is taken; NOT_FOUND for an unknown parentCssId; BAD_USER_INPUT with line, column and reason ' +
      'for an invalid subject or body; PAYLOAD_TOO_LARGE at the limit of templates.',
  })
  createTemplate(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateTemplateInput, description: 'Template to create.' }) input: CreateTemplateInput,
  ): Promise<Template> {
    return this.templates.create(caller, input);
  }

  @Rendering()
  @Mutation(() => Template, {
    nullable,
    description:
      'Changes a template. NOT_FOUND for an unknown id or parentCssId; CONFLICT if it was changed after changedAfter; otherwise the rules of createTemplate apply.',
  })
  updateTemplate(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the template to change.' }) id: string,
    @Args('input', { type: () => UpdateTemplateInput, description: 'Changed fields.' }) input: UpdateTemplateInput,
  ): Promise<Template> {
    return this.templates.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => Template, {
    nullable,
    description: 'Deletes a template, and returns its last state. NOT_FOUND for an unknown id.',
  })
  deleteTemplate(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the template to delete.' }) id: string,
  ): Promise<Template> {
    return this.templates.delete(caller, id);
  }

  @Rendering()
  @Mutation(() => TemplateTranslation, {
    nullable,
    description:
      'Creates or replaces a translation of a template, used by renderings in its locale. BAD_USER_INPUT as in createTemplate, and for the ' +
      `language of the template itself; PAYLOAD_TOO_LARGE for more than ${MAX_TRANSLATIONS} translations or ${asCount(MAX_TRANSLATED)} characters in ` +
      'total; CONFLICT if it was changed after changedAfter; NOT_FOUND for an unknown template.',
  })
  putTemplateTranslation(
    @CurrentCaller() caller: Caller,
    @Args('templateId', TEMPLATE_ID) templateId: string,
    @Args('locale', LOCALE) locale: string,
    @Args('input', { type: () => TemplateTranslationInput, description: 'Subject and body of the translation.' })
    input: TemplateTranslationInput,
  ): Promise<TemplateTranslation> {
    return this.translations.put(caller, templateId, locale, input);
  }

  @Rendering()
  @Mutation(() => TemplateTranslation, {
    nullable,
    description: 'Deletes a translation, and returns its last state. NOT_FOUND for an unknown one.',
  })
  deleteTemplateTranslation(
    @CurrentCaller() caller: Caller,
    @Args('templateId', TEMPLATE_ID) templateId: string,
    @Args('locale', LOCALE) locale: string,
  ): Promise<TemplateTranslation> {
    return this.translations.delete(caller, templateId, locale);
  }

  @Query(() => TemplateVersionsResult, {
    name: 'templateVersions',
    nullable,
    description:
      `Stored versions of a template, one per save, newest first: up to ${MAX_VERSIONS} with ${asCount(MAX_VERSIONS_SIZE)} characters in total. ` +
      `limit is 1 to ${MAX_VERSIONS}. NOT_FOUND for an unknown name.`,
  })
  listVersions(
    @CurrentCaller() caller: Caller,
    @Args('name', { type: () => String, description: 'Name of a saved template, case-sensitive.' }) name: string,
    @NextToken('name') nextToken: string | null,
    @Limit(MAX_VERSIONS) limit: number | null,
  ): Promise<TemplateVersionsResult> {
    return this.versions.page(caller, name, nextToken, limit);
  }

  @Rendering()
  @Mutation(() => Template, {
    nullable,
    description:
      'Restores a version as a new save: its subject, body, css, parentCss, layout, contentType, locale, sampleParams and translations. NOT_FOUND ' +
      'for an unknown version, and if its stylesheet or layout was deleted; BAD_USER_INPUT if it cannot be rendered with the ' +
      'current partials and layouts.',
  })
  restoreTemplateVersion(
    @CurrentCaller() caller: Caller,
    @Args('id', TEMPLATE_ID) id: string,
    @Args('version', { type: () => Int, description: 'Number of the version.' }) version: number,
    @Args('author', { type: () => AuthorInput, nullable, description: 'Author of the restore.' }) author: AuthorInput | null,
  ): Promise<Template> {
    return this.templates.restore(caller, id, version, author);
  }

  @MaxItems(MAX_TRANSLATIONS, { counted: 3 })
  @ResolveField('translations', () => [TemplateTranslation], {
    nullable: 'itemsAndList',
    description: 'Texts in other languages, ordered by tag.',
  })
  translationsOf(@Parent() template: Template): Promise<TemplateTranslation[]> {
    return template.loadTranslations();
  }

  @ResolveField('inherited', () => Boolean, { nullable, description: INHERITED })
  isInherited(@Parent() { inherited }: Template): boolean {
    return inherited ?? false;
  }
}
