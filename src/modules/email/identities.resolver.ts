import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../common/auth/access.guard.js';
import { MaxItems } from '../../common/bounds/list-size.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { IdentitiesService } from './identities.service.js';
import { EmailIdentity, MAX_IDENTITIES } from './models/identity.model.js';

const nullable = true;

@Resolver()
@AccessByScope('email')
export class IdentitiesResolver {
  constructor(private readonly identities: IdentitiesService) {}

  @MaxItems(MAX_IDENTITIES)
  @Query(() => [EmailIdentity], { nullable: 'itemsAndList', description: 'All of the tenant, by address; at most 1,000.' })
  emailIdentities(@CurrentCaller() caller: Caller): Promise<EmailIdentity[]> {
    return this.identities.list(caller);
  }

  @Mutation(() => EmailIdentity, {
    nullable,
    description:
      'Sends a link to the address, good for 24 hours, and voids the link before; emailIdentities shows its state. RATE_LIMITED after 5 of them to ' +
      'one mailbox on one day (UTC), whichever tenants ask, and after 100 of the tenant; letter case and a +tag do not tell ' +
      'mailboxes apart. An address that is VERIFIED stays so, and gets none. FAILED_PRECONDITION while the name of the tenant ' +
      'contains an address.',
  })
  verifyEmailIdentity(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'The address to send the link to.' }) address: string,
  ): Promise<EmailIdentity> {
    return this.identities.requestVerification(caller, address);
  }

  @Mutation(() => EmailIdentity, {
    nullable,
    description: 'Answers with the identity as it was. Messages that were accepted before still go out. NOT_FOUND when unknown.',
  })
  deleteEmailIdentity(
    @CurrentCaller() caller: Caller,
    @Args('address', { type: () => String, description: 'The address, as it was verified.' }) address: string,
  ): Promise<EmailIdentity> {
    return this.identities.delete(caller, address);
  }
}
