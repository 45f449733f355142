import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { INHERITED } from '../models/limits.js';
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
      `Stylesheets, oldest first. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} by default. ` +
      `A page ends early when its rows reach ${asBytes(PAGE_BYTES)}.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => CssFilter, nullable, description: 'Conditions that stylesheets must match.' })
    filter: CssFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
  ): Promise<CssResult> {
    return this.stylesheets.page(caller, filter, nextToken, limit);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description: 'Creates a stylesheet for use as parentCssId of html templates. PAYLOAD_TOO_LARGE at the limit of stylesheets.',
  })
  createCss(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateCssInput, description: 'Stylesheet to create.' }) input: CreateCssInput,
  ): Promise<Css> {
    return this.stylesheets.create(caller, input);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description:
      'Changes a stylesheet, for all templates that use it. CONFLICT if it was changed after changedAfter; NOT_FOUND for an unknown id.',
  })
  updateCss(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the stylesheet to change.' }) id: string,
    @Args('input', { type: () => UpdateCssInput, description: 'Changed fields.' }) input: UpdateCssInput,
  ): Promise<Css> {
    return this.stylesheets.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => Css, {
    nullable,
    description:
      'Deletes a stylesheet, and returns its last state. NOT_FOUND for an unknown id; CONFLICT while templates use it as parentCss.',
  })
  deleteCss(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the stylesheet to delete.' }) id: string,
  ): Promise<Css> {
    return this.stylesheets.delete(caller, id);
  }

  @ResolveField('inherited', () => Boolean, { nullable, description: INHERITED })
  isInherited(@Parent() { inherited }: Css): boolean {
    return inherited ?? false;
  }
}
