import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { bytesOfUuid, uuidOf } from '../../../common/base/ids.js';
import { Signing } from '../../../common/signing/signer.js';
import { fromBase32, toBase32 } from '../../../common/base/base32.js';

const PREFIX = 'bounce-';
/** The label in front of a domain that bounces go to, if its owner wants them to stay in the domain. */
const OWN_LABEL = 'ps-bounces';
const ID_BYTES = 16;
/** 104 bits: with the id and the position 30 bytes, which are 48 characters. */
const MAC_BYTES = 13;
const OWN = new RegExp(`^${OWN_LABEL}\\.[a-z0-9-]+(\\.[a-z0-9-]+)+$`);
const LOCAL = /^bounce-([a-z2-7]{48})$/;
/** How a return path looks within a text, such as the headers of a report. */
const ANYWHERE = /bounce-([a-z2-7]{48})@/g;
/** How many return paths of one text are checked. */
const MAX_TRIED = 20;

/** Returns the name of a tenant's domain that bounces may go to, an alias of RETURN_PATH_DOMAIN. */
export const returnPathOf = (domain: string): string => `${OWN_LABEL}.${domain}`;

/** A recipient of a message, which a report is of. */
export interface MailedRecipient {
  emailId: string;
  position: number;
}

/** What one SMTP transaction sends a mail from, and to whom. */
export interface Envelope {
  /** Absent: the address of the sender. */
  returnPath?: string;
  recipients: string[];
}

/**
 * Makes the envelope senders of mails (VERP, variable envelope return paths). Each names one recipient of one message and proves by
 * a MAC that it was made here, so a report is believed only if it comes from where that mail was. A recipient learns its own return
 * path and no other, so it can report no bounce of anybody else.
 */
@Injectable()
export class ReturnPaths {
  private readonly keys: KeyObject[];
  private readonly domain: string | undefined;
  private readonly isSending: boolean;

  constructor(config: Config, signing: Signing) {
    this.keys = signing.macKeys('return-path').map(({ key }) => key);
    this.domain = config.returnPathDomain;
    this.isSending = config.smtp !== undefined;
  }

  /**
   * Returns the envelopes in which a mail goes to these recipients: one for each, where RETURN_PATH_DOMAIN is set. One for all would
   * have to believe what a report says on whose it is, which some reports do not say, others get wrong where mail is forwarded, and
   * any recipient could claim of the others. Mails that become files have one envelope.
   * @param own the name of the sender's domain that leads to RETURN_PATH_DOMAIN, if it has one: SPF is then of that domain
   */
  envelopesOf(emailId: string, recipients: { position: number; address: string }[], own?: string): Envelope[] {
    const { domain } = this;
    if (domain === undefined || !this.isSending) return [{ recipients: recipients.map(({ address }) => address) }];
    return recipients.map(({ position, address }) => {
      return { returnPath: `${this.localPartOf({ emailId, position })}@${own ?? domain}`, recipients: [address] };
    });
  }

  /**
   * Returns the recipient that an address names, of RETURN_PATH_DOMAIN or of a name that a domain has for it; undefined for any that was
   * not made here. The MAC proves that whatever the name: mail servers may write the domain that it is an alias of (RFC 1123, 5.2.2).
   */
  recipientAt(address: string): MailedRecipient | undefined {
    const at = address.lastIndexOf('@');
    const [, text] = LOCAL.exec(address.slice(0, at).toLowerCase()) ?? [];
    const domain = address.slice(at + 1).toLowerCase();
    return text && (domain === this.domain || OWN.test(domain)) ? this.named(text) : undefined;
  }

  /**
   * Returns the recipient that the first valid return path in a text names, of this or an earlier RETURN_PATH_DOMAIN; `forged` if it has
   * return paths of which none is valid.
   */
  recipientIn(text: string): MailedRecipient | 'forged' | undefined {
    const tried = new Set<string>();
    for (const [, found] of text.toLowerCase().matchAll(ANYWHERE)) {
      if (tried.size === MAX_TRIED) break;
      if (tried.has(found!)) continue;
      tried.add(found!);
      const named = this.named(found!);
      if (named) return named;
    }
    return tried.size > 0 ? 'forged' : undefined;
  }

  private localPartOf({ emailId, position }: MailedRecipient): string {
    const name = Buffer.from([...bytesOfUuid(emailId), position]);
    return PREFIX + toBase32(Buffer.concat([name, macOf(this.keys[0]!, name)]));
  }

  private named(text: string): MailedRecipient | undefined {
    const bytes = fromBase32(text);
    const name = bytes.subarray(0, ID_BYTES + 1);
    const mac = bytes.subarray(ID_BYTES + 1);
    if (!this.keys.some((key) => timingSafeEqual(mac, macOf(key, name)))) return undefined;
    return { emailId: uuidOf(name.subarray(0, ID_BYTES)), position: name[ID_BYTES]! };
  }
}

const macOf = (key: KeyObject, name: Uint8Array): Buffer =>
  createHmac('sha256', key).update(name).digest().subarray(0, MAC_BYTES);
