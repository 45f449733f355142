import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { MAX_LIMIT, PAGE_BYTES } from '../../../common/lists/page.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { CreateCssInput, CssFilter, UpdateCssInput } from './template.inputs.js';
import { Css, CssResult, DEFAULT_PAGE } from '../models/css.model.js';
import { StylesheetsService } from './stylesheets.service.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';

const nullable = true;

@Resolver(() => Css)
@AccessByScope('document-rendering')
export class CssResolver {
  constructor(private readonly stylesheets: StylesheetsService) {}

  @Query(() => CssResult, {
    name: 'css',
    nullable,
    description:
      `Stylesheets in the order of their creation. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} unless given. ` +
      `A page ends earlier where its rows reach ${asBytes(PAGE_BYTES)}.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => CssFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: CssFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
  ): Promise<CssResult> {
    return this.stylesheets.page(caller, filter, nextToken, limit);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description:
      'Creates a stylesheet, which html templates can name as their parentCssId. PAYLOAD_TOO_LARGE when the tenant has as ' +
      'many stylesheets as it may.',
  })
  createCss(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateCssInput, description: 'The stylesheet to create.' }) input: CreateCssInput,
  ): Promise<Css> {
    return this.stylesheets.create(caller, input);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description:
      'Changes how all templates with this parent look from now on. CONFLICT as changedAfter says; NOT_FOUND for an unknown id.',
  })
  updateCss(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the stylesheet to change.' }) id: string,
    @Args('input', { type: () => UpdateCssInput, description: 'What is to change.' }) input: UpdateCssInput,
  ): Promise<Css> {
    return this.stylesheets.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description: 'Returns the stylesheet as it was. NOT_FOUND for an unknown id; CONFLICT while it is parentCss of templates.',
  })
  deleteCss(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the stylesheet to delete.' }) id: string,
  ): Promise<Css> {
    return this.stylesheets.delete(caller, id);
  }
}
