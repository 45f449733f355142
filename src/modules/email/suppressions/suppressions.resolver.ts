import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { type Page, PAGE_END } from '../../../common/lists/page.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { asCount } from '../../../common/base/amounts.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { MAX_SUPPRESSIONS } from '../models/limits.js';
import { CreateSuppressionInput, SuppressionsFilter } from './suppression.inputs.js';
import { CreateSuppressionResult, EmailSuppression, SuppressionsResult } from '../models/suppression.model.js';
import { SuppressionsService } from './suppressions.service.js';

const nullable = true;

@Resolver()
@AccessByScope('email')
export class SuppressionsResolver {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Query(() => SuppressionsResult, {
    name: 'suppressions',
    nullable,
    description: `Lists suppressed addresses, newest first. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => SuppressionsFilter,
      nullable,
      description: 'Filter of the suppressions; all by default.',
    })
    filter: SuppressionsFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<Page<EmailSuppression>> {
    return this.suppressions.page(caller, filter, nextToken, limit);
  }

  @MaxItems(MAX_SUPPRESSIONS, { counted: 100 })
  @Cheap()
  @Mutation(() => [CreateSuppressionResult], {
    nullable: 'itemsAndList',
    description:
      'Stores suppressions, and returns one result for each, in input order. Rejects invalid ones separately. An existing one ' +
      'only receives the new expiresAt. Queued mails are no longer attempted for the address.',
  })
  createSuppressions(
    @CurrentCaller() caller: Caller,
    @Args('input', {
      type: () => [CreateSuppressionInput],
      description: `Suppressions to store, 1 to ${asCount(MAX_SUPPRESSIONS)}, else BAD_USER_INPUT.`,
    })
    input: CreateSuppressionInput[],
  ): Promise<CreateSuppressionResult[]> {
    return this.suppressions.create(caller, input);
  }

  @Cheap()
  @Mutation(() => EmailSuppression, {
    nullable,
    description:
      'Deletes the suppressions of an address, for all reasons, and returns the most severe. Later mails are sent to it; FAILED ' +
      'ones are not retried. NOT_FOUND if there is none.',
  })
  deleteSuppression(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'Email address, in any letter case.' }) address: string,
    @Args('list', {
      type: () => String,
      nullable,
      description: 'List of the suppressions to delete; by default, only those of all mails.',
    })
    list: string | null,
  ): Promise<EmailSuppression> {
    return this.suppressions.delete(caller, address, list);
  }
}
