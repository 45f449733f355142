import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/pages/page-arguments.js';
import { MAX_LIMIT, PAGE_BYTES } from '../../common/pages/page.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/graphql/access/caller.decorator.js';
import { CreateTemplateInput, TemplatesFilter, UpdateTemplateInput } from './inputs/template.inputs.js';
import { Template, TemplatesResult } from './models/template.model.js';
import { TemplatesService } from './templates/templates.service.js';
import { Cheap, Rendering } from '../../common/work/work-class.js';
import { asBytes, asCount } from '../../common/validation/amounts.js';
import { DEFAULT_PAGE } from './models/css.model.js';

const nullable = true;

@Resolver(() => Template)
@AccessByScope('document-rendering')
export class TemplatesResolver {
  constructor(private readonly templates: TemplatesService) {}

  @Query(() => TemplatesResult, {
    name: 'templates',
    nullable,
    description:
      `Templates in the order of their creation. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} unless given. ` +
      `A page ends earlier where its rows reach ${asBytes(PAGE_BYTES)}. A template counts with its parentCss.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => TemplatesFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: TemplatesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
  ): Promise<TemplatesResult> {
    return this.templates.page(caller, filter, nextToken, limit);
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
      'NOT_FOUND for an unknown id or parentCssId; otherwise what would be stored follows the rules of createTemplate.',
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
}
