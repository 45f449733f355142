import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
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
      `Partials in the order of their creation. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_PAGE)} unless given. ` +
      `A page ends earlier where its rows reach ${asBytes(PAGE_BYTES)}.`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => PartialsFilter, nullable, description: 'Returns only what matches; left out, everything.' })
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
      'CONFLICT when the name is taken; BAD_USER_INPUT with line, column and reason for a body that is not a template, and for ' +
      `partials that include each other; PAYLOAD_TOO_LARGE when the tenant has ${asCount(MAX_PARTIALS)} partials.`,
  })
  createPartial(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreatePartialInput, description: 'The partial to create.' }) input: CreatePartialInput,
  ): Promise<TemplatePartial> {
    return this.partials.create(caller, input);
  }

  @Rendering()
  @Mutation(() => TemplatePartial, {
    nullable,
    description:
      'Changes all templates that include the partial at once. BAD_USER_INPUT that names a template which could not be rendered ' +
      `any more; PAYLOAD_TOO_LARGE when more than ${asCount(MAX_USERS)} templates are made of it; CONFLICT as changedAfter says; NOT_FOUND for an unknown id.`,
  })
  updatePartial(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the partial to change.' }) id: string,
    @Args('input', { type: () => UpdatePartialInput, description: 'What is to change.' }) input: UpdatePartialInput,
  ): Promise<TemplatePartial> {
    return this.partials.update(caller, id, input);
  }

  @Cheap()
  @Mutation(() => TemplatePartial, {
    nullable,
    description:
      'Returns the partial as it was. NOT_FOUND for an unknown id; CONFLICT while templates or other partials include it, naming them.',
  })
  deletePartial(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the partial to delete.' }) id: string,
  ): Promise<TemplatePartial> {
    return this.partials.delete(caller, id);
  }
}
