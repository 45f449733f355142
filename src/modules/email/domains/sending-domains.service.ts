import { createPrivateKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { StoredSecrets } from '../../../common/signing/stored-secrets.js';
import { ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { returnPathOf } from '../bounces/return-paths.js';
import type { MailSigner } from '../transport/mail-transport.js';
import { type Algorithm, ALGORITHMS, type KeyTexts, NEEDED, selectorOf } from './domain-keys.js';
import { signedMail } from './signed-mail.js';

/** Size of the parsed-key cache. Parsing both keys takes 1 ms, signing 0.4 ms. */
const MAX_KEPT = 500;

type Keys = Record<Algorithm, KeyObject>;

/** Signers and return path for mails from a verified domain. */
interface SendingDomain {
  signer: MailSigner;
  /** Bounce domain; undefined unless its record points to RETURN_PATH_DOMAIN. */
  returnPathDomain: string | undefined;
}

/** Finds the domains of senders, with their signing keys. */
@Injectable()
export class SendingDomains {
  /** Parsed keys by domain id, least recently used first. */
  private readonly kept = new Map<string, { sealed: string; keys: Keys }>();

  constructor(
    private readonly database: Database,
    private readonly secrets: StoredSecrets,
    private readonly parents: ParentTenants,
  ) {}

  /** Returns the verified domain of an address, if any: that of the tenant, or else that of its parent. */
  async domainOf(tenantId: string, address: string): Promise<SendingDomain | undefined> {
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const select = { id: true, status: true, selector: true, privateKeys: true, hasEd25519: true, hasReturnPath: true } as const;
    const { emailDomain } = this.database.of(tenantId);
    const own = await emailDomain.findUnique({ where: { tenantId_domain: { tenantId, domain } }, select });
    const inherited = { where: { domain, status: 'VERIFIED' }, select };
    const row = own?.status === 'VERIFIED' ? own : await this.parents.of(tenantId)?.emailDomain.findFirst(inherited);
    if (!row) return undefined;
    const privateKeys = this.keysOf(row.id, row.privateKeys);
    const keys = ALGORITHMS.filter((algorithm) => algorithm === NEEDED || row.hasEd25519).map((algorithm) => ({
      algorithm,
      domain,
      selector: selectorOf(row.selector, algorithm),
      privateKey: privateKeys[algorithm],
    }));
    return { signer: (mail) => signedMail(mail, keys), returnPathDomain: row.hasReturnPath ? returnPathOf(domain) : undefined };
  }

  private keysOf(id: string, sealed: string): Keys {
    const kept = this.kept.get(id);
    const keys = kept?.sealed === sealed ? kept.keys : this.parsed(id, sealed);
    this.kept.delete(id);
    this.kept.set(id, { sealed, keys });
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return keys;
  }

  private parsed(id: string, sealed: string): Keys {
    const texts = JSON.parse(this.secrets.open('EmailDomain', id, sealed)) as KeyTexts;
    const keyOf = (text: string): KeyObject =>
      createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
    return { rsa: keyOf(texts.rsa), ed25519: keyOf(texts.ed25519) };
  }
}
