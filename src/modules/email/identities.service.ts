import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { checkInput } from '../../common/validation/text.js';
import type { EmailIdentityModel } from '../../generated/sqlite/models.js';
import { newEmail, OWN_TENANT } from './email-row.js';
import { countValidationMail } from './identities.queries.js';
import { validationMail } from './identity-mail.js';
import { identityRules } from './inputs/email.rules.js';
import type { EmailIdentity, EmailIdentityStatus } from './models/identity.model.js';
import { OutboxWorker } from './outbox.worker.js';
import { OutboxWriterService } from './outbox-writer.service.js';

const TOKEN_BYTES = 32;
const LINK_LIFETIME_MS = 24 * 3_600_000;
const MAX_MAILS_A_DAY = 5;
const MAX_IDENTITIES = 1_000;
export const VERIFY_PATH = '/email/identities/verify';

/** What a link is for, as its page shows it. */
export interface IdentityRequest {
  address: string;
  tenantName: string;
}

/** Which inboxes a tenant may send from: those whose readers agreed, by the button behind a link that only they got. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly publicAddress: PublicAddress,
    private readonly writer: OutboxWriterService,
    private readonly worker: OutboxWorker,
  ) {}

  async list({ tenantId }: Caller): Promise<EmailIdentity[]> {
    const rows = await this.prisma.emailIdentity.findMany({ where: { tenantId }, orderBy: { address: 'asc' } });
    return rows.map(toIdentity);
  }

  async isVerified(tenantId: string, address: string): Promise<boolean> {
    const identity = await this.prisma.emailIdentity.findUnique({ where: { tenantId_address: { tenantId, address } } });
    return identity?.status === 'VERIFIED';
  }

  /**
   * Sends a link, and voids the one before; an address that is verified already stays so and gets none.
   * @throws RATE_LIMITED when the address got enough of them today, whoever asked
   */
  async requestVerification(caller: Caller, given: string): Promise<EmailIdentity> {
    const address = checkInput(identityRules, given, 'address');
    const key = { tenantId_address: { tenantId: caller.tenantId, address } };
    const before = await this.prisma.emailIdentity.findUnique({ where: key });
    if (before?.status === 'VERIFIED') return toIdentity(before);
    if (!before) await this.checkCount(caller);
    const { name } = await this.prisma.tenant.findUniqueOrThrow({ where: { id: caller.tenantId } });
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const link = `${this.publicAddress.http}${VERIFY_PATH}?token=${token}`;
    const own = this.config.emailFrom;
    const email = { ...newEmail(OWN_TENANT, own, own), ...validationMail({ address, tenantName: name }, link) };
    const fresh = { tokenHash: hashOf(token), tokenExpiresAt: new Date(email.createdAt.getTime() + LINK_LIFETIME_MS) };
    const row = await this.prisma.$transaction(async (transaction) => {
      if (!(await countValidationMail(transaction, this.config.isPostgres, address, MAX_MAILS_A_DAY))) throw tooMany(address);
      const create = { tenantId: caller.tenantId, address, status: 'PENDING', createdAt: email.createdAt, ...fresh } as const;
      const identity = await transaction.emailIdentity.upsert({ where: key, create, update: fresh });
      const recipients = [{ kind: 'to', address, name: null } as const];
      await this.writer.storeWithin(transaction, { email, recipients, attachments: [] });
      return identity;
    });
    this.worker.accepted(OWN_TENANT);
    return toIdentity(row);
  }

  /** Messages that were accepted before still go out. @throws NOT_FOUND */
  async delete({ tenantId }: Caller, given: string): Promise<EmailIdentity> {
    const address = checkInput(identityRules, given, 'address');
    const row = await this.prisma.emailIdentity.findUnique({ where: { tenantId_address: { tenantId, address } } });
    const { count } = await this.prisma.emailIdentity.deleteMany({ where: { tenantId, address } });
    if (!row || count === 0) throw notFound(`The identity ${address}`);
    return toIdentity(row);
  }

  /** What a link is for; looking changes nothing. @throws NOT_FOUND; 410 once it was used or is too old */
  async find(token: string): Promise<IdentityRequest> {
    const row = await this.rowOf(token);
    const tenant = await this.prisma.tenant.findUniqueOrThrow({ where: { id: row.tenantId } });
    return { address: row.address, tenantName: tenant.name };
  }

  /** @throws as `find` */
  async verify(token: string): Promise<IdentityRequest> {
    const request = await this.find(token);
    const now = new Date();
    const { count } = await this.prisma.emailIdentity.updateMany({
      where: { tokenHash: hashOf(token), status: 'PENDING', tokenExpiresAt: { gt: now } },
      data: { status: 'VERIFIED', verifiedAt: now },
    });
    if (count === 0) await this.rowOf(token);
    return request;
  }

  private async rowOf(token: string): Promise<EmailIdentityModel> {
    const row = await this.prisma.emailIdentity.findUnique({ where: { tokenHash: hashOf(token) } });
    if (!row) throw new AppError('NOT_FOUND', 'This link is not valid; a newer one may have replaced it');
    if (row.status === 'VERIFIED') throw new AppError('NOT_FOUND', 'This link was used already', { status: 410 });
    if (row.tokenExpiresAt <= new Date())
      throw new AppError('NOT_FOUND', 'This link is too old; ask for a new one', { status: 410 });
    return row;
  }

  private async checkCount({ tenantId }: Caller): Promise<void> {
    if ((await this.prisma.emailIdentity.count({ where: { tenantId } })) < MAX_IDENTITIES) return;
    throw new AppError(
      'FAILED_PRECONDITION',
      `There are ${MAX_IDENTITIES} identities already; delete some with deleteEmailIdentity`,
    );
  }
}

function tooMany(address: string): AppError {
  const message = `${address} got ${MAX_MAILS_A_DAY} validation mails today, which is the most; try again tomorrow (UTC)`;
  return new AppError('RATE_LIMITED', message);
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function toIdentity({ address, status, createdAt, verifiedAt }: EmailIdentityModel): EmailIdentity {
  return { address, status: status as EmailIdentityStatus, createdAt, verifiedAt };
}
