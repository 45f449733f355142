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
    description: `Addresses that mails are not sent to, newest first. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', {
      type: () => SuppressionsFilter,
      nullable,
      description: 'Returns only matching suppressions; all if left out.',
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
      'Stores suppressions, and returns one result for each, in the order of the input; a wrong one is refused alone. One that is there ' +
      'gets the new expiresAt and stays as it is otherwise. Mails that wait are not tried for the address any more.',
  })
  createSuppressions(
    @CurrentCaller() caller: Caller,
    @Args('input', {
      type: () => [CreateSuppressionInput],
      description: `The suppressions to store, 1 to ${asCount(MAX_SUPPRESSIONS)}, else BAD_USER_INPUT.`,
    })
    input: CreateSuppressionInput[],
  ): Promise<CreateSuppressionResult[]> {
    return this.suppressions.create(caller, input);
  }

  @Cheap()
  @Mutation(() => EmailSuppression, {
    nullable,
    description:
      'Ends the suppressions of an address, whatever their reasons, and returns the gravest. Later mails are sent to it; those that ' +
      'FAILED are not. NOT_FOUND when there is none.',
  })
  deleteSuppression(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'The address; its letter case does not count.' }) address: string,
    @Args('list', {
      type: () => String,
      nullable,
      description: 'The list whose suppressions end. Those on all mails end if left out, and no others.',
    })
    list: string | null,
  ): Promise<EmailSuppression> {
    return this.suppressions.delete(caller, address, list);
  }
}
