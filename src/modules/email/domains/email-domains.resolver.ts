import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import type { Page } from '../../../common/lists/page.js';
import { Limit, NextToken } from '../../../common/lists/page-arguments.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { EmailDomain, EmailDomainsResult } from './email-domain.model.js';
import { DOMAINS } from './email-domains.descriptions.js';
import { EmailDomainsService } from './email-domains.service.js';
import { MAX_DOMAINS } from './limits.js';

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
