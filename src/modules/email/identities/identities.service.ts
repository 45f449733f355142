// Room: Verifies mailboxes to send from.
import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { lockTenant, type TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { addressesIn } from '../../../common/base/display-name.js';
import { addressRules, mailboxOf } from '../../../common/base/email-address.js';
import { checkInput } from '../../../common/base/text.js';
import type { EmailAddress } from '../models/email.model.js';
import type { EmailIdentityModel } from '../../../generated/sqlite/models.js';
import { type EmailRow, newEmail, OWN_TENANT } from '../message-storage/email-row.js';
import { countToday } from './identities.queries.js';
import { type IdentityRequest, validationMail } from './identity-page.js';
import { type EmailIdentity, EmailIdentityStatus, MAX_IDENTITIES } from './identity.model.js';
import { OutboxJob } from '../outbox/outbox.job.js';
import { OutboxWriterService } from '../outbox/outbox-writer.service.js';
import { LINK_LIFETIME_MS, MAX_LINKS_OF_TENANT, MAX_LINKS_TO_MAILBOX } from '../models/limits.js';

const TOKEN_BYTES = 32;
const DAY_MS = 24 * 3_600_000;
export const VERIFY_PATH = '/email/identities/verify';

/** Columns that determine the state of a verification mail. */
type ValidationMail = Pick<EmailRow, 'id' | 'status' | 'lastError'>;

/** Manages the mailboxes that a tenant may send from. The owner of each agreed by a button behind a link sent to that mailbox. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly publicAddress: PublicAddress,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxJob,
  ) {}

  async list({ tenantId }: Caller): Promise<EmailIdentity[]> {
    const rows = await this.database.of(tenantId).emailIdentity.findMany({
      orderBy: { address: 'asc' },
      take: MAX_IDENTITIES,
    });
    return this.withMails(rows);
  }

  async isVerified(tenantId: string, address: string): Promise<boolean> {
    const identity = await this.database
      .of(tenantId)
      .emailIdentity.findUnique({ where: { tenantId_address: { tenantId, address } } });
    return identity?.status === 'VERIFIED';
  }

  get defaultSender(): EmailAddress {
    return this.config.emailFrom;
  }

  /**
   * Sends a link, replacing the previous one. A verified address stays verified and receives no link.
   * @throws RATE_LIMITED at the daily limit of the mailbox over all tenants, or of the tenant
   */
  async requestVerification(caller: Caller, addressInput: string): Promise<EmailIdentity> {
    const address = checkInput(addressRules, addressInput, 'address');
    const key = { tenantId_address: { tenantId: caller.tenantId, address } };
    const own = this.database.of(caller.tenantId);
    const before = await own.emailIdentity.findUnique({ where: key });
    if (before?.status === 'VERIFIED') return toIdentity(before, undefined);
    const name = await this.nameOf(caller.tenantId);
    checkTenantName(name);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const link = `${this.publicAddress.http}${VERIFY_PATH}?token=${token}`;
    const sender = this.config.emailFrom;
    const email = { ...newEmail(OWN_TENANT, sender, sender), ...validationMail({ address, tenantName: name }, link) };
    const tokenExpiresAt = new Date(email.createdAt.getTime() + LINK_LIFETIME_MS);
    const fresh = { tokenHash: hashOf(token), tokenExpiresAt, mailId: email.id };
    const row = await own.$transaction(async (transaction) => {
      if (!before) await this.checkRoomForOne(transaction);
      await this.countMail(transaction, address);
      const create = { tenantId: caller.tenantId, address, status: 'PENDING', createdAt: email.createdAt, ...fresh } as const;
      const identity = await transaction.emailIdentity.upsert({ where: key, create, update: fresh });
      const recipients = [{ kind: 'to', address, name: null } as const];
      await this.writer.storeWithin(transaction.acrossTenants('mails with links are the server’s own'), {
        email,
        recipients,
        attachments: [],
      });
      return identity;
    });
    this.worker.accepted(OWN_TENANT, 1, { areDue: true });
    return toIdentity(row, undefined);
  }

  /** Deletes an identity. Messages accepted earlier are still sent. @throws NOT_FOUND */
  async delete({ tenantId }: Caller, addressInput: string): Promise<EmailIdentity> {
    const address = checkInput(addressRules, addressInput, 'address');
    const { emailIdentity } = this.database.of(tenantId);
    const rows = await emailIdentity.findMany({ where: { address } });
    const [identity] = await this.withMails(rows);
    const { count } = await emailIdentity.deleteMany({ where: { address } });
    if (!identity || count === 0) throw notFound(`The identity ${address}`);
    return identity;
  }

  /** Returns the request behind a link. @throws NOT_FOUND; with status 410 for an expired unused link */
  async find(token: string): Promise<IdentityRequest> {
    const row = await this.rowOf(token);
    return { address: row.address, tenantName: await this.nameOf(row.tenantId), isVerified: row.status === 'VERIFIED' };
  }

  /** Records the consent of the owner. Idempotent. @throws the errors of `find` */
  async verify(token: string): Promise<IdentityRequest> {
    const now = new Date();
    await this.identitiesByToken.updateMany({
      where: { tokenHash: hashOf(token), status: 'PENDING', tokenExpiresAt: { gt: now } },
      data: { status: 'VERIFIED', verifiedAt: now },
    });
    return this.find(token);
  }

  /** Adds the state of the latest verification mail to each identity. */
  private async withMails(rows: EmailIdentityModel[]): Promise<EmailIdentity[]> {
    const ids = rows.flatMap(({ status, mailId }) => (status === 'PENDING' && mailId !== null ? [mailId] : []));
    const select = { id: true, status: true, lastError: true };
    const mails: ValidationMail[] =
      ids.length > 0 ? await this.database.of(OWN_TENANT).email.findMany({ where: { id: { in: ids } }, select }) : [];
    const byId = new Map(mails.map((mail) => [mail.id, mail]));
    return rows.map((row) => toIdentity(row, byId.get(row.mailId ?? '')));
  }

  private get identitiesByToken() {
    return this.database.acrossTenants('only the reader of the mail has the token').emailIdentity;
  }

  private async nameOf(tenantId: string): Promise<string> {
    return (await this.database.of(tenantId).tenant.findFirstOrThrow()).name;
  }

  private async rowOf(token: string): Promise<EmailIdentityModel> {
    const row = await this.identitiesByToken.findUnique({ where: { tokenHash: hashOf(token) } });
    if (!row) throw new AppError('NOT_FOUND', 'This link is not valid; a newer one may have replaced it');
    if (row.status !== 'VERIFIED' && row.tokenExpiresAt <= new Date())
      throw new AppError('NOT_FOUND', 'This link has expired; request a new one', { status: 410 });
    return row;
  }

  /**
   * Counts a verification mail for the tenant, then for the mailbox: the fixed order prevents deadlocks. Does not count a rejected mail.
   */
  private async countMail(transaction: TenantTransaction, address: string): Promise<void> {
    const ofTenant = {
      table: 'EmailValidationTotal',
      key: 'tenantId',
      value: transaction.tenantId,
      max: MAX_LINKS_OF_TENANT,
    } as const;
    const toMailbox = { table: 'EmailValidationCount', key: 'address', value: mailboxOf(address), max: MAX_LINKS_TO_MAILBOX } as const; // prettier-ignore
    if (!(await countToday(transaction, ofTenant))) throw tooMany('This tenant has requested', MAX_LINKS_OF_TENANT);
    const ofAll = transaction.acrossTenants('the limit of a mailbox covers all tenants');
    if (!(await countToday(ofAll, toMailbox))) {
      throw tooMany(`The mailbox of ${address} has received`, MAX_LINKS_TO_MAILBOX);
    }
  }

  private async checkRoomForOne(transaction: TenantTransaction): Promise<void> {
    await lockTenant(transaction, this.database.dialect);
    if ((await transaction.emailIdentity.count()) < MAX_IDENTITIES) return;
    throw new AppError(
      'FAILED_PRECONDITION',
      `The tenant already has ${MAX_IDENTITIES} identities, the maximum; delete some with deleteEmailIdentity`,
    );
  }
}

function tooMany(who: string, max: number): AppError {
  const tomorrow = new Date(Math.floor(Date.now() / DAY_MS + 1) * DAY_MS).toISOString();
  return new AppError('RATE_LIMITED', `${who} ${max} verification emails today, the maximum; retry from ${tomorrow}`);
}

/**
 * Checks the tenant's name, shown as the sender in the mail and its page.
 * @throws FAILED_PRECONDITION for a name with an address, which readers would mistake for the sender
 */
function checkTenantName(name: string): void {
  const [named] = addressesIn(name);
  if (named === undefined) return;
  const message = `The name of this tenant contains the address ${named}, which readers would mistake for the sender`;
  throw new AppError('FAILED_PRECONDITION', `${message}; use a key of a tenant with another name`);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function toIdentity(row: EmailIdentityModel, mail: ValidationMail | undefined): EmailIdentity {
  const { address, createdAt, verifiedAt } = row;
  const status = mail?.status === 'FAILED' ? EmailIdentityStatus.FAILED : (row.status as EmailIdentityStatus);
  return { address, status, createdAt, verifiedAt, lastError: mail?.lastError ?? null };
}
