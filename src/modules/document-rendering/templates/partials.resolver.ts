import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { INHERITED } from '../models/limits.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { MAX_LIMIT, PAGE_BYTES } from '../../../common/lists/page.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { Cheap, Rendering } from '../../../common/scheduling/work-class.js';
import { CreatePartialInput, PartialsFilter, UpdatePartialInput } from './template.inputs.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { MAX_PARTIALS, MAX_USERS } from '../models/limits.js';
import { PartialsResult, TemplatePartial } from './partial.model.js';
import { PartialsService } from './partials.service.js';

const nullable = true;

@Resolver(() => TemplatePartial)
@AccessByScope('document-rendering')
export class PartialsResolver {
  constructor(private readonly partials: PartialsService) {}

  @Query(() => PartialsResult, {
    name: 'partials',
    nullable,
    description:
      `Partials, oldest first. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} by default. ` +
      `A page ends early when its rows reach ${asBytes(PAGE_BYTES)}.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => PartialsFilter, nullable, description: 'Conditions that partials must match.' })
    filter: PartialsFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit(MAX_LIMIT) limit: number | null,
  ): Promise<PartialsResult> {
    return this.partials.page(caller, filter, nextToken, limit);
  }

  @Rendering()
  @Mutation(() => TemplatePartial, {
    nullable,
    description:
      'Creates a partial. CONFLICT if the name is taken; BAD_USER_INPUT with line, column and reason for an invalid body, and for ' +
      `partials that include each other; PAYLOAD_TOO_LARGE at the limit of ${asCount(MAX_PARTIALS)} partials.`,
  })
  createPartial(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreatePartialInput, description: 'Partial to create.' }) input: CreatePartialInput,
  ): Promise<TemplatePartial> {
    return this.partials.create(caller, input);
  }

  @Rendering()
  @Mutation(() => TemplatePartial, {
    nullable,
    description:
      'Changes a partial, for all templates that include it. BAD_USER_INPUT with the name of a template that could no longer be ' +
      `rendered; PAYLOAD_TOO_LARGE if more than ${asCount(MAX_USERS)} templates use it; CONFLICT if it was changed after changedAfter; NOT_FOUND for an unknown id.`,
  })
  updatePartial(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the partial to change.' }) id: string,
    @Args('input', { type: () => UpdatePartialInput, description: 'Changed fields.' }) input: UpdatePartialInput,
  ): Promise<TemplatePartial> {
    return this.partials.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => TemplatePartial, {
    nullable,
    description:
      'Deletes a partial, and returns its last state. NOT_FOUND for an unknown id; CONFLICT, with their names, while templates or other partials include it.',
  })
  deletePartial(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the partial to delete.' }) id: string,
  ): Promise<TemplatePartial> {
    return this.partials.delete(caller, id);
  }

  @ResolveField('inherited', () => Boolean, { nullable, description: INHERITED })
  isInherited(@Parent() { inherited }: TemplatePartial): boolean {
    return inherited ?? false;
  }
}
