import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
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
  description: 'An IETF language tag of a known language, such as de-CH; its extensions are left out.',
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
      `Templates, oldest first unless order says otherwise. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} unless given. ` +
      `A page ends earlier where its rows reach ${asBytes(PAGE_BYTES)}. A template counts with its parentCss.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => TemplatesFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: TemplatesFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
    @Args('order', { type: () => TemplatesOrder, nullable, description: 'OLDEST unless given.' }) order: TemplatesOrder | null,
  ): Promise<TemplatesResult> {
    return this.templates.page(caller, { filter, order }, nextToken, limit);
  }

  @Rendering()
  @Mutation(() => Template, {
    nullable,
    description:
      'CONFLICT when the name is taken; NOT_FOUND for an unknown parentCssId; BAD_USER_INPUT with line, column and reason ' +
      'for a subject or body that is not a template; PAYLOAD_TOO_LARGE when the tenant has as many templates as it may.',
  })
  createTemplate(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateTemplateInput, description: 'The template to create.' }) input: CreateTemplateInput,
  ): Promise<Template> {
    return this.templates.create(caller, input);
  }

  @Rendering()
  @Mutation(() => Template, {
    nullable,
    description:
      'NOT_FOUND for an unknown id or parentCssId; CONFLICT as changedAfter says; otherwise what would be stored follows the rules of createTemplate.',
  })
  updateTemplate(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the template to change.' }) id: string,
    @Args('input', { type: () => UpdateTemplateInput, description: 'What is to change.' }) input: UpdateTemplateInput,
  ): Promise<Template> {
    return this.templates.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => Template, { nullable, description: 'Returns the template as it was. NOT_FOUND for an unknown id.' })
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
      'Creates or replaces the translation of a template. A rendering finds it by its locale. BAD_USER_INPUT as createTemplate, and for the ' +
      `language of the template itself; PAYLOAD_TOO_LARGE for more than ${MAX_TRANSLATIONS} translations or ${asCount(MAX_TRANSLATED)} characters of ` +
      'them together; CONFLICT as changedAfter says; NOT_FOUND for an unknown template.',
  })
  putTemplateTranslation(
    @CurrentCaller() caller: Caller,
    @Args('templateId', TEMPLATE_ID) templateId: string,
    @Args('locale', LOCALE) locale: string,
    @Args('input', { type: () => TemplateTranslationInput, description: 'Its texts.' }) input: TemplateTranslationInput,
  ): Promise<TemplateTranslation> {
    return this.translations.put(caller, templateId, locale, input);
  }

  @Rendering()
  @Mutation(() => TemplateTranslation, {
    nullable,
    description: 'Returns the translation as it was. NOT_FOUND when there is none.',
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
      `What the last saves of a template left, the newest first: up to ${MAX_VERSIONS}, and ${asCount(MAX_VERSIONS_SIZE)} characters together. ` +
      `limit is 1 to ${MAX_VERSIONS}. NOT_FOUND when no template has that name.`,
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
      'Saves a version again, as a new one: its subject, body, css, parentCss, layout, contentType, locale, sampleParams and translations. NOT_FOUND ' +
      'for a version that is not kept, and when its stylesheet or layout has gone; BAD_USER_INPUT when it could not be rendered with the ' +
      'partials and layouts of today.',
  })
  restoreTemplateVersion(
    @CurrentCaller() caller: Caller,
    @Args('id', TEMPLATE_ID) id: string,
    @Args('version', { type: () => Int, description: 'The number of the version.' }) version: number,
    @Args('author', { type: () => AuthorInput, nullable, description: 'Who restores it.' }) author: AuthorInput | null,
  ): Promise<Template> {
    return this.templates.restore(caller, id, version, author);
  }

  @MaxItems(MAX_TRANSLATIONS, { counted: 3 })
  @ResolveField('translations', () => [TemplateTranslation], {
    nullable: 'itemsAndList',
    description: 'Its texts in other languages, by their tags.',
  })
  translationsOf(@Parent() template: Template): Promise<TemplateTranslation[]> {
    return template.loadTranslations();
  }
}
