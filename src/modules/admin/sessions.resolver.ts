import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { REVOKED_WITHIN_MS } from '../../common/auth/api-key.js';
import type { Caller } from '../../common/auth/caller.js';
import { asCount, asSeconds } from '../../common/base/amounts.js';
import { AccessByScope } from '../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../common/graphql/access/graphql-context.js';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../common/lists/page.js';
import { Limit, NextToken } from '../../common/lists/page-of.js';
import { Cheap } from '../../common/scheduling/work-class.js';
import { Session, SessionsResult } from './session.model.js';
import { SessionAdministrationService } from './session-administration.service.js';

const nullable = true;

@Resolver(() => Session)
@AccessByScope('admin')
export class SessionsResolver {
  constructor(private readonly administration: SessionAdministrationService) {}

  @Query(() => SessionsResult, {
    nullable,
    description:
      'Lists the sessions of people in Studio in the order of their sign-in, including ended ones until they expire. limit is 1 to ' +
      `${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default.`,
  })
  sessions(
    @CurrentCaller() caller: Caller,
    @NextToken() nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<SessionsResult> {
    return this.administration.page(caller, nextToken, limit);
  }

  @Cheap()
  @Mutation(() => Session, {
    nullable,
    description:
      `Ends a session, on every node within ${asSeconds(REVOKED_WITHIN_MS)} s. URLs and tokens created with it live out their time. ` +
      'Idempotent. NOT_FOUND for an unknown id.',
  })
  revokeSession(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the session.' }) id: string,
  ): Promise<Session> {
    return this.administration.revoke(caller, id);
  }
}
