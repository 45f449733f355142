import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../common/auth/caller.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { Limit, NextToken } from '../../common/lists/page-of.js';
import { checkInput } from '../../common/base/text.js';
import { actorOf } from './audit.service.js';
import { PersonErasuresService, type StoredErasure } from './person-erasures.service.js';
import { ErasePersonInput } from './admin.inputs.js';
import { MAX_RUNNING_ERASURES, PersonErasure, PersonErasuresResult, PersonErasureState } from './person-erasure.model.js';
import { Cheap } from '../../common/scheduling/work-class.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { asCount } from '../../common/base/amounts.js';

const nullable = true;

@Resolver(() => PersonErasure)
@AccessByScope('admin')
export class PersonErasuresResolver {
  constructor(private readonly erasures: PersonErasuresService) {}

  @Cheap()
  @Query(() => PersonErasure, { nullable, description: 'Returns the erasure of a person; null for an unknown id.' })
  async personErasure(
    @Args('id', { type: () => ID, description: 'Id of the erasure.' }) id: string,
  ): Promise<PersonErasure | null> {
    const found = await this.erasures.find(id);
    return found && toModel(found);
  }

  @Query(() => PersonErasuresResult, {
    nullable,
    description:
      `Lists the erasures of a tenant, newest first, including completed ones. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
      `${asCount(DEFAULT_LIMIT)} by default. NOT_FOUND for an unknown tenant.`,
  })
  async personErasures(
    @CurrentCaller() caller: Caller,
    @Args('tenantId', { type: () => ID, description: 'Id of the tenant.' }) tenantId: string,
    @NextToken('tenantId') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<PersonErasuresResult> {
    const { items, ...page } = await this.erasures.page(caller, tenantId, nextToken, limit);
    return { ...page, items: items.map(toModel) };
  }

  @Cheap()
  @Mutation(() => PersonErasure, {
    nullable,
    description:
      'Starts to erase a person from the messages, mails, log records and authors of a tenant, irreversibly. Responds ' +
      'immediately: poll personErasure for progress. Files and templates remain, without their author. BAD_USER_INPUT ' +
      'without any of authorId, recipient and emailAddress; NOT_FOUND for an unknown tenant; FAILED_PRECONDITION while the ' +
      `tenant is being deleted or has ${asCount(MAX_RUNNING_ERASURES)} running erasures.`,
  })
  async erasePerson(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Person to erase.' }) input: ErasePersonInput,
  ): Promise<PersonErasure> {
    const { tenantId, ...person } = checkInput(ErasePersonInput.rules, input);
    return toModel(await this.erasures.order(actorOf(caller), tenantId, person));
  }
}

function toModel({ erased, endedAt, ...rest }: StoredErasure): PersonErasure {
  const { id, tenantId, createdAt, problem } = rest;
  const state = endedAt ? PersonErasureState.DONE : PersonErasureState.RUNNING;
  const counts = Object.entries(erased).map(([kind, count]) => ({ kind, count }));
  return { id, tenantId, createdAt, problem, endedAt, state, erased: counts };
}
