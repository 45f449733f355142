// Room: Erases a person from messages.
import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { lowerAscii } from '../../../common/base/text.js';
import { AppError } from '../../../common/base/app-error.js';
import { type ErasureStep, NOTHING_ERASED, TenantData } from '../../../common/tenants/tenant-data.js';
import { storedAddress } from '../../../common/base/email-address.js';
import type { EmailModel, EmailRecipientModel } from '../../../generated/sqlite/models.js';
import { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { finished, OWN_TENANT } from '../message-storage/email-row.js';
import { errorOf } from '../outbox/settlement.js';
import { identitiesOf, isSenderOfWaiting, lockMails, mailsOf } from './address-erasure.queries.js';

/** Mails found per step. */
const MAILS_PER_STEP = 500;
/** Mails erased per transaction. */
const GROUP = 50;

const COLUMNS = {
  id: true,
  status: true,
  fromAddress: true,
  replyToAddress: true,
  leaseHolder: true,
  dueAt: true,
  sendAt: true,
  attempts: true,
} as const;

type Mail = Pick<EmailModel, keyof typeof COLUMNS> & { recipients: EmailRecipientModel[] };

/**
 * Erases email addresses. Deletes mails that only concern the address. Removes the recipient and the stored content from other mails, which
 * are still sent to the others. Waits for running attempts and for queued mails from the address; of the latter, deletes the scheduled
 * ones.
 */
@Injectable()
export class AddressErasureService {
  constructor(
    private readonly database: Database,
    private readonly contents: AttachableContentService,
    data: TenantData,
  ) {
    data.addTrace({ kind: 'mails', erase: (tenantId, { emailAddress }) => this.eraseMails(tenantId, emailAddress) });
    data.addTrace({
      kind: 'suppressions',
      erase: (tenantId, { emailAddress }) => this.eraseSuppressions(tenantId, emailAddress),
    });
    data.addTrace({ kind: 'identities', erase: (tenantId, { emailAddress }) => this.eraseIdentities(tenantId, emailAddress) });
  }

  /** Erases mails of an address. @throws SERVICE_UNAVAILABLE while all remaining mails must be sent first */
  private async eraseMails(tenantId: string, emailAddress: string | null): Promise<ErasureStep> {
    if (emailAddress === null) return NOTHING_ERASED;
    const address = storedAddress(emailAddress);
    const found = await mailsOf(this.database, { tenantId, address, limit: MAILS_PER_STEP });
    let erased = 0;
    for (let at = 0; at < found.length; at += GROUP) {
      erased += await this.eraseGroup(tenantId, address, found.slice(at, at + GROUP));
    }
    if (erased > 0) return { erased, more: erased === MAILS_PER_STEP };
    if (found.length > 0) {
      throw new AppError('SERVICE_UNAVAILABLE', `${found.length} emails are being sent; they are erased after the attempt`);
    }
    if (await isSenderOfWaiting(this.database, tenantId, address)) {
      throw new AppError('SERVICE_UNAVAILABLE', 'Emails from the address are queued for others; they are erased once sent');
    }
    return NOTHING_ERASED;
  }

  /** Erases a group of mails. Returns the number of changed or removed mails. */
  private async eraseGroup(tenantId: string, address: string, ids: string[]): Promise<number> {
    const { erased, abandoned } = await this.database.of(tenantId).$transaction(async (transaction) => {
      await lockMails(transaction, this.database.dialect, ids);
      const all = await transaction.email.findMany({
        where: { id: { in: ids } },
        select: { ...COLUMNS, recipients: true },
      });
      const mails = all.filter((mail) => !isBeingSent(mail) && (isOnlyOf(mail, address) || isTo(mail, address)));
      const whole = mails.filter((mail) => isOnlyOf(mail, address));
      const changed: string[] = whole.map(({ id }) => id);
      await transaction.email.deleteMany({ where: { id: { in: changed } } });
      for (const mail of mails) {
        if (!whole.includes(mail) && (await this.removeRecipient(transaction, mail, address))) changed.push(mail.id);
      }
      return { erased: mails.length, abandoned: await this.contents.unpin(transaction, changed) };
    });
    await this.contents.removeAbandoned(abandoned);
    return erased;
  }

  /** Removes a recipient. Returns true if that finished the mail, as all other recipients were already finished. */
  private async removeRecipient(transaction: TenantTransaction, mail: Mail, address: string): Promise<boolean> {
    const left = mail.recipients.filter((one) => lowerAscii(one.address) !== address);
    const gone = mail.recipients.filter((one) => !left.includes(one)).map(({ position }) => position);
    await transaction.emailRecipient.deleteMany({ where: { emailId: mail.id, position: { in: gone } } });
    const isFinished = mail.status === 'QUEUED' && left.every(({ status }) => status !== 'QUEUED');
    const lastError = errorOf(left);
    const data = isFinished
      ? finished(left.some(({ status }) => status === 'SENT') ? 'SENT' : 'FAILED', lastError)
      : { lastError };
    await transaction.email.updateMany({ where: { id: mail.id }, data: { ...data, tags: null } });
    await transaction.emailTag.deleteMany({ where: { emailId: mail.id } });
    await removeContent(transaction, mail.id);
    if (isFinished) await transaction.emailAttachment.deleteMany({ where: { emailId: mail.id } });
    return isFinished;
  }

  private async eraseSuppressions(tenantId: string, emailAddress: string | null): Promise<ErasureStep> {
    if (emailAddress === null) return NOTHING_ERASED;
    const address = storedAddress(emailAddress);
    const { count } = await this.database.of(tenantId).emailSuppression.deleteMany({ where: { address } });
    return { erased: count, more: false };
  }

  /** Erases identities, with the mail of the latest link of each. */
  private async eraseIdentities(tenantId: string, emailAddress: string | null): Promise<ErasureStep> {
    if (emailAddress === null) return NOTHING_ERASED;
    const found = await identitiesOf(this.database, tenantId, storedAddress(emailAddress));
    const mailIds = found.flatMap(({ mailId }) => mailId ?? []);
    await this.database.of(OWN_TENANT).email.deleteMany({ where: { id: { in: mailIds } } });
    const addresses = found.map(({ address }) => address);
    const { count } = await this.database.of(tenantId).emailIdentity.deleteMany({ where: { address: { in: addresses } } });
    return { erased: count, more: false };
  }
}

/** Removes the stored content of a mail. For a QUEUED mail, creates the empty row that prevents storing its content later. */
async function removeContent(transaction: TenantTransaction, emailId: string): Promise<void> {
  const nothing = { html: null, text: null, attachments: null, headers: null };
  await transaction.emailContent.upsert({ where: { emailId }, create: { emailId }, update: nothing });
}

/** Returns true if a node holds the lease of the mail and will store its outcome. */
function isBeingSent({ status, leaseHolder, dueAt }: Mail): boolean {
  return status === 'QUEUED' && leaseHolder !== null && dueAt.getTime() > Date.now();
}

const isTo = ({ recipients }: Mail, address: string): boolean => recipients.some((one) => lowerAscii(one.address) === address);

function isOnlyOf({ status, sendAt, attempts, fromAddress, replyToAddress, recipients }: Mail, address: string): boolean {
  const isIt = (one: string | null): boolean => one !== null && lowerAscii(one) === address;
  if (recipients.every((one) => isIt(one.address))) return true;
  const isScheduled = sendAt !== null && attempts === 0;
  return (status !== 'QUEUED' || isScheduled) && (isIt(fromAddress) || isIt(replyToAddress));
}
