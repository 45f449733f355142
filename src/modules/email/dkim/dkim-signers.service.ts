import { createPrivateKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { StoredSecrets } from '../../../common/secrets/stored-secrets.js';
import { ALGORITHMS, type KeyTexts, NEEDED, selectorOf } from './domain-keys.js';
import { MailSigner } from './mail-signer.js';

/** Finds the keys that sign mails. */
@Injectable()
export class DkimSigners {
  constructor(
    private readonly database: Database,
    private readonly secrets: StoredSecrets,
  ) {}

  /** Returns what makes a signer for each mail from an address, if the tenant has verified its domain. */
  async signerOf(tenantId: string, address: string): Promise<(() => MailSigner) | undefined> {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const { emailDomain } = this.database.of(tenantId);
    const select = { id: true, status: true, selector: true, privateKeys: true, hasEd25519: true } as const;
    const row = await emailDomain.findUnique({ where: { tenantId_domain: { tenantId, domain } }, select });
    if (row?.status !== 'VERIFIED') return undefined;
    const texts = JSON.parse(this.secrets.open('EmailDomain', row.id, row.privateKeys)) as KeyTexts;
    const keys = ALGORITHMS.filter((algorithm) => algorithm === NEEDED || row.hasEd25519).map((algorithm) => ({
      algorithm,
      domain,
      selector: selectorOf(row.selector, algorithm),
      privateKey: createPrivateKey({ key: Buffer.from(texts[algorithm], 'base64'), format: 'der', type: 'pkcs8' }),
    }));
    return () => new MailSigner(keys);
  }
}
