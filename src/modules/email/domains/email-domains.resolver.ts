import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import type { Page } from '../../../common/lists/page.js';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asCount, asDays, asSeconds } from '../../../common/base/amounts.js';
import { EmailDomain, EmailDomainsResult } from './email-domain.model.js';
import { EmailDomainsService } from './email-domains.service.js';
import { CHECK_AGAIN_MS, CHECK_MS, FAIL_AFTER_MS, MAX_DOMAIN, MAX_DOMAINS, OVERLAP_MS } from './limits.js';

const DOMAINS = {
  emailDomains: `Lists the domains of the tenant by name; at most ${asCount(MAX_DOMAINS)}, and as many verified ones of its parent.`,
  inherited:
    'True if it belongs to the parent tenant, which alone can change it. Mails are signed by its keys until a domain of the same name of ' +
    'your own is VERIFIED.',
  createEmailDomain:
    'Creates a domain, and returns the records to set at its DNS provider. Once the required records are found, it is VERIFIED: from may be any ' +
    'address of the domain, but not of a subdomain, and its mails are signed by DKIM. The records are checked automatically, ' +
    'often at first. Idempotent. Several tenants can have the same domain, each with its own ' +
    `records. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOMAINS)} domains; SERVICE_UNAVAILABLE while too many keys are being generated.`,
  checkEmailDomain:
    `Checks the records now, within ${asSeconds(CHECK_MS)} s, and returns the domain with the result. RATE_LIMITED ` +
    `more often than once in ${asSeconds(CHECK_AGAIN_MS)} s. A VERIFIED domain with missing required records stays VERIFIED for ` +
    `${asDays(FAIL_AFTER_MS)} days. NOT_FOUND for an unknown domain.`,
  rotateEmailDomainKeys:
    'Generates new keys, and adds their records to those to set. The old keys sign until a check finds the record of the new RSA key; ' +
    `leave their records in place for ${asDays(OVERLAP_MS)} more days. Idempotent until then. NOT_FOUND for an unknown domain, ` +
    'FAILED_PRECONDITION unless it is VERIFIED.',
  deleteEmailDomain:
    'Deletes a domain, and returns its last state. Messages accepted earlier are still sent. NOT_FOUND for an unknown domain.',
  domain:
    `Domain, such as example.com: at least two labels, at most ${MAX_DOMAIN} characters, in any letter case, possibly internationalized. Reserved ` +
    'names, such as localhost, are rejected.',
};

const nullable = true;

const Domain = (): ParameterDecorator => Args('domain', { type: () => String, description: DOMAINS.domain });

@Resolver(() => EmailDomain)
@AccessByScope('email')
export class EmailDomainsResolver {
  constructor(private readonly domains: EmailDomainsService) {}

  @Query(() => EmailDomainsResult, { nullable, description: DOMAINS.emailDomains })
  emailDomains(
    @CurrentCaller() caller: Caller,
    @NextToken() nextToken: string | null,
    @Limit(MAX_DOMAINS, MAX_DOMAINS) limit: number | null,
  ): Promise<Page<EmailDomain>> {
    return this.domains.page(caller, nextToken, limit);
  }

  @Cheap()
  @Mutation(() => EmailDomain, { nullable, description: DOMAINS.createEmailDomain })
  createEmailDomain(@CurrentCaller() caller: Caller, @Domain() domain: string): Promise<EmailDomain> {
    return this.domains.create(caller, domain);
  }

  @Cheap()
  @Mutation(() => EmailDomain, { nullable, description: DOMAINS.checkEmailDomain })
  checkEmailDomain(@CurrentCaller() caller: Caller, @Domain() domain: string): Promise<EmailDomain> {
    return this.domains.check(caller, domain);
  }

  @Cheap()
  @Mutation(() => EmailDomain, { nullable, description: DOMAINS.rotateEmailDomainKeys })
  rotateEmailDomainKeys(@CurrentCaller() caller: Caller, @Domain() domain: string): Promise<EmailDomain> {
    return this.domains.rotate(caller, domain);
  }

  @Cheap()
  @Mutation(() => EmailDomain, { nullable, description: DOMAINS.deleteEmailDomain })
  deleteEmailDomain(@CurrentCaller() caller: Caller, @Domain() domain: string): Promise<EmailDomain> {
    return this.domains.delete(caller, domain);
  }

  @ResolveField('inherited', () => Boolean, { nullable, description: DOMAINS.inherited })
  isInherited(@Parent() { inherited }: EmailDomain): boolean {
    return inherited ?? false;
  }
}
