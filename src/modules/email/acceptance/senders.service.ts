import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { AppError } from '../../../common/base/app-error.js';
import type { NamedAddress } from '../../../common/graphql/types/email-address.input.js';
import { EmailDomainsService } from '../domains/email-domains.service.js';
import { IdentitiesService } from '../identities/identities.service.js';

/** Determines and authorizes the sender of a message. */
@Injectable()
export class SendersService {
  constructor(
    private readonly config: Config,
    private readonly identities: IdentitiesService,
    private readonly domains: EmailDomainsService,
  ) {}

  /** Sender address of this service. */
  get own(): Sender {
    return this.config.emailFrom;
  }

  /** Returns a `senderOf` for one call that checks each sender once. */
  askingOnce(tenantId: string): (from: NamedAddress | null | undefined) => Promise<Sender> {
    const asked = new Map<string, Promise<Sender>>();
    return (from) => {
      const key = JSON.stringify(from ?? null);
      const sender = asked.get(key) ?? this.senderOf(tenantId, from);
      asked.set(key, sender);
      return sender;
    };
  }

  /** Returns the sender, by default this service. @throws FAILED_PRECONDITION for an address that the tenant may not send from */
  async senderOf(tenantId: string, from: NamedAddress | null | undefined): Promise<Sender> {
    const { own } = this;
    if (!from) return own;
    if (from.address === own.address) return { address: own.address, name: from.name ?? own.name };
    if (await this.identities.isVerified(tenantId, from.address)) return from;
    if (await this.domains.isVerified(tenantId, domainOf(from.address))) return from;
    const field = 'input.from.address';
    const message = `${field}: ${from.address} is not a verified sender; verify it with verifyEmailIdentity, or its domain with createEmailDomain`;
    throw new AppError('FAILED_PRECONDITION', message, { field });
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
