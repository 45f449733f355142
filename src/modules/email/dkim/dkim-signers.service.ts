import { createPrivateKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { StoredSecrets } from '../../../common/secrets/stored-secrets.js';
import type { DkimKey } from '../transport/mail-transport.js';
import { type KeyTexts, selectorOf } from './domain-keys.js';

/** Finds the keys that sign mails. */
@Injectable()
export class DkimSigners {
  constructor(
    private readonly database: Database,
    private readonly secrets: StoredSecrets,
  ) {}

  /** Returns the key of the domain of an address, if the tenant has verified that domain. */
  async keyOf(tenantId: string, address: string): Promise<DkimKey | undefined> {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const { emailDomain } = this.database.of(tenantId);
    const select = { id: true, status: true, selector: true, privateKeys: true } as const;
    const row = await emailDomain.findUnique({ where: { tenantId_domain: { tenantId, domain } }, select });
    if (row?.status !== 'VERIFIED') return undefined;
    const { rsa } = JSON.parse(this.secrets.open('EmailDomain', row.id, row.privateKeys)) as KeyTexts;
    const privateKey = createPrivateKey({ key: Buffer.from(rsa, 'base64'), format: 'der', type: 'pkcs8' });
    return { domainName: domain, keySelector: selectorOf(row.selector, 'rsa'), privateKey };
  }
}
