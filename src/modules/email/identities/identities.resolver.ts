import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asCount, asHours } from '../../../common/base/amounts.js';
import { EmailAddress } from '../models/email.model.js';
import { LINK_LIFETIME_MS, MAX_LINKS_OF_TENANT, MAX_LINKS_TO_MAILBOX } from '../models/limits.js';
import { IdentitiesService } from './identities.service.js';
import { EmailIdentity, MAX_IDENTITIES } from './identity.model.js';

const IDENTITIES = {
  emailIdentities: `Lists all identities of the tenant by address; at most ${asCount(MAX_IDENTITIES)}.`,
  verifyEmailIdentity:
    `Sends a verification link to the address, valid for ${asHours(LINK_LIFETIME_MS)} hours, which replaces the previous one; see emailIdentities ` +
    `for its state. RATE_LIMITED after ${MAX_LINKS_TO_MAILBOX} links to one mailbox per day (UTC) over all tenants, and ` +
    `after ${MAX_LINKS_OF_TENANT} links of the tenant; letter case and +tags of mailboxes are ignored. A VERIFIED address stays ` +
    'VERIFIED and receives no link. FAILED_PRECONDITION if the name of the tenant contains an address.',
  deleteEmailIdentity:
    'Deletes an identity, and returns its last state. Messages accepted earlier are still sent. NOT_FOUND for an unknown address.',
};

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
  @Query(() => EmailAddress, { nullable, description: 'Returns the sender of messages without from: EMAIL_FROM of the server.' })
  defaultSender(): EmailAddress {
    return this.identities.defaultSender;
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
