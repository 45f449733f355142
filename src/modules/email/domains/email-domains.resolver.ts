import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
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

/** Schema descriptions of the operations on domains. */
const DOMAINS = {
  emailDomains: `The domains of the tenant, by their names; at most ${asCount(MAX_DOMAINS)}.`,
  createEmailDomain:
    'Returns the records to set at the DNS provider of the domain. Once the needed ones are found, it is VERIFIED: any ' +
    'address of the domain, but of no subdomain, may be from, and its mails are signed by DKIM. They are looked up by ' +
    'themselves, often at first. A repeat returns the domain as it is. Another tenant may have the same domain, with records of its ' +
    `own. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOMAINS)} domains; SERVICE_UNAVAILABLE while many keys are being made.`,
  checkEmailDomain:
    `Looks the records up now, which takes up to ${asSeconds(CHECK_MS)} s, and returns the domain with what was found. RATE_LIMITED ` +
    'more often than ' +
    `once in ${asSeconds(CHECK_AGAIN_MS)} s. A VERIFIED domain whose needed records are missing stays so for ` +
    `${asDays(FAIL_AFTER_MS)} days. NOT_FOUND for an unknown domain.`,
  rotateEmailDomainKeys:
    'Makes new keys, whose records are added to those to set. The old keys sign until a check has found the record of the new RSA key; ' +
    `keep the old records for ${asDays(OVERLAP_MS)} days more. A repeat before that changes nothing. NOT_FOUND for an unknown domain, ` +
    'FAILED_PRECONDITION unless it is VERIFIED.',
  deleteEmailDomain: 'Returns the domain as it was. Messages accepted earlier are still sent. NOT_FOUND for an unknown domain.',
  domain:
    `Such as example.com: at least two labels, at most ${MAX_DOMAIN} characters, in any letter case, also internationalised. No reserved ` +
    'name, such as localhost.',
};

const nullable = true;

const Domain = (): ParameterDecorator => Args('domain', { type: () => String, description: DOMAINS.domain });

@Resolver()
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
}
