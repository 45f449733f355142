import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { IdentitiesService } from './identities.service.js';
import { EmailIdentity, MAX_IDENTITIES } from './identity.model.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { IDENTITIES } from './identities.descriptions.js';

const nullable = true;

@Resolver()
@AccessByScope('email')
export class IdentitiesResolver {
  constructor(private readonly identities: IdentitiesService) {}

  @MaxItems(MAX_IDENTITIES)
  @Cheap()
  @Query(() => [EmailIdentity], { nullable: 'itemsAndList', description: IDENTITIES.emailIdentities })
  emailIdentities(@CurrentCaller() caller: Caller): Promise<EmailIdentity[]> {
    return this.identities.list(caller);
  }

  @Cheap()
  @Mutation(() => EmailIdentity, { nullable, description: IDENTITIES.verifyEmailIdentity })
  verifyEmailIdentity(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'Address to send the link to.' }) address: string,
  ): Promise<EmailIdentity> {
    return this.identities.requestVerification(caller, address);
  }

  @Cheap()
  @Mutation(() => EmailIdentity, { nullable, description: IDENTITIES.deleteEmailIdentity })
  deleteEmailIdentity(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'Address of the identity.' }) address: string,
  ): Promise<EmailIdentity> {
    return this.identities.delete(caller, address);
  }
}
