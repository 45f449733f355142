import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { bytesOfUuid, uuidOf } from '../../../common/base/ids.js';
import { Signing } from '../../../common/signing/signer.js';
import { fromBase32, toBase32 } from '../../../common/base/base32.js';

const PREFIX = 'bounce-';
/** Label of a bounce domain under the sender's own domain. */
const OWN_LABEL = 'ps-bounces';
const ID_BYTES = 16;
/** Length of the MAC: 104 bits. With id and position, 30 bytes, encoded as 48 characters. */
const MAC_BYTES = 13;
const OWN = new RegExp(`^${OWN_LABEL}\\.[a-z0-9-]+(\\.[a-z0-9-]+)+$`);
const LOCAL = /^bounce-([a-z2-7]{48})$/;
/** Matches return paths in a text, such as the headers of a report. */
const ANYWHERE = /bounce-([a-z2-7]{48})@/g;
/** Return paths checked per text. */
const MAX_TRIED = 20;

/** Returns the bounce domain under a tenant's domain, an alias of RETURN_PATH_DOMAIN. */
export const returnPathOf = (domain: string): string => `${OWN_LABEL}.${domain}`;

/** Recipient of a message, as identified by a return path. */
export interface MailedRecipient {
  emailId: string;
  position: number;
}

/** Sender and recipients of one SMTP transaction. */
export interface Envelope {
  /** Envelope sender; the address of the sender by default. */
  returnPath?: string;
  recipients: string[];
}

/**
 * Creates envelope senders of mails (VERP, variable envelope return paths). Each identifies one recipient of one message and carries a MAC,
 * so only somebody who received that mail can report it. A recipient knows only its own return path and cannot report bounces of others.
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
   * Returns the envelopes of a mail: one per recipient if RETURN_PATH_DOMAIN is set, else a single one. A shared return path would rely on
   * the recipient named in a report, which can be missing, wrong after forwarding, or forged.
   * @param own bounce domain under the sender's domain, if any, which aligns SPF
   */
  envelopesOf(emailId: string, recipients: { position: number; address: string }[], own?: string): Envelope[] {
    const { domain } = this;
    if (domain === undefined || !this.isSending) return [{ recipients: recipients.map(({ address }) => address) }];
    return recipients.map(({ position, address }) => {
      return { returnPath: `${this.localPartOf({ emailId, position })}@${own ?? domain}`, recipients: [address] };
    });
  }

  /**
   * Returns the recipient identified by a return path; undefined if it was not created here. The MAC suffices as proof, whatever the
   * domain: mail servers may replace an alias by its target (RFC 1123, 5.2.2).
   */
  recipientAt(address: string): MailedRecipient | undefined {
    const at = address.lastIndexOf('@');
    const [, text] = LOCAL.exec(address.slice(0, at).toLowerCase()) ?? [];
    const domain = address.slice(at + 1).toLowerCase();
    return text && (domain === this.domain || OWN.test(domain)) ? this.named(text) : undefined;
  }

  /**
   * Returns the recipient of the first valid return path in a text, for the current or an earlier RETURN_PATH_DOMAIN; `forged` if all its
   * return paths are invalid.
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
