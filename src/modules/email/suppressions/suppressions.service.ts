// Room: Addresses that are not sent to, and one-click unsubscribe from a list.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { inSlices } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput, notFound } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { TenantData } from '../../../common/tenants/tenant-data.js';
import { checkInput } from '../../../common/base/text.js';
import { toEmailError } from '../models/error.model.js';
import { MAX_SUPPRESSIONS } from '../models/limits.js';
import { type CreateSuppressionResult, type EmailSuppression, SuppressionReason } from '../models/suppression.model.js';
import { CreateSuppressionInput, listRules, suppressedRules, SuppressionsFilter } from './suppression.inputs.js';
import {
  ALL_MAILS,
  type ListedSuppression,
  type NewSuppression,
  pageOfSuppressions,
  storeSuppressions,
} from './suppressions.queries.js';

/** Inputs checked before yielding to other work. */
const CHECKED_A_TURN = 100;
const GRAVEST_FIRST = Object.values(SuppressionReason);

/** Manages the suppressed addresses of a tenant. */
@Injectable()
export class SuppressionsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    data: TenantData,
  ) {
    data.addRows('suppressions', 'EmailSuppression', 'id');
  }

  /** Returns a page of suppressions, newest first. */
  async page(
    { tenantId, budget }: Caller,
    filter: SuppressionsFilter | null,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<EmailSuppression>> {
    const wanted = checkInput(SuppressionsFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'suppressions', filter: wanted };
    const after = this.cursors.after(nextToken, context);
    const { rows, more } = await pageOfSuppressions(this.database, { tenantId, wanted, after }, size);
    const { items, ...page } = this.cursors.page(rows, more, ({ id }) => id, context);
    return { ...page, items: items.map(toSuppression) };
  }

  /**
   * Stores suppressions, each separately. An existing one only receives the new expiry.
   * @throws BAD_USER_INPUT for none, and over MAX_SUPPRESSIONS
   */
  async create({ tenantId }: Caller, input: CreateSuppressionInput[]): Promise<CreateSuppressionResult[]> {
    if (input.length < 1 || input.length > MAX_SUPPRESSIONS)
      throw badInput('input', `must have 1 to ${MAX_SUPPRESSIONS} suppressions, has ${input.length}`);
    const checked = await inSlices(input, CHECKED_A_TURN, (one, index) => checkedOrError(tenantId, one, index));
    const good = checked.filter((one): one is NewSuppression => !(one instanceof AppError));
    const stored = await this.store(tenantId, good);
    return checked.map((one) =>
      one instanceof AppError ? { error: toEmailError(one) } : { suppression: stored.get(keyOf({ list: null, ...one })) },
    );
  }

  /** Deletes all suppressions of an address on a list, or on all mails. Returns the most severe. @throws NOT_FOUND */
  async delete({ tenantId }: Caller, addressInput: string, listInput: string | null): Promise<EmailSuppression> {
    const address = checkInput(suppressedRules, addressInput, 'address');
    const list = checkInput(listRules.nullish(), listInput, 'list');
    const where = { address, list: list ?? ALL_MAILS, ...counting() };
    const { emailSuppression } = this.database.of(tenantId);
    const found = (await emailSuppression.findMany({ where })).map(toSuppression);
    const { count } = await emailSuppression.deleteMany({ where });
    const [severest] = found.sort((a, b) => GRAVEST_FIRST.indexOf(a.reason) - GRAVEST_FIRST.indexOf(b.reason));
    if (!severest || count === 0) throw notFound(`A suppression of ${address} on ${list ? `the list ${list}` : 'all emails'}`);
    return severest;
  }

  /** Stores suppressions. Returns the stored ones by `keyOf`. */
  private async store(tenantId: string, suppressions: NewSuppression[]): Promise<Map<string, EmailSuppression>> {
    if (suppressions.length === 0) return new Map();
    const { dialect } = this.database;
    const rows = await this.database.of(tenantId).$transaction(async (transaction) => {
      const everyTenant = transaction.acrossTenants('a suppression brings its tenant');
      const { ids } = await storeSuppressions(everyTenant, dialect, suppressions);
      return transaction.emailSuppression.findMany({ where: { id: { in: ids } } });
    });
    return new Map(rows.map(toSuppression).map((one) => [keyOf(one), one]));
  }
}

/** Condition of unexpired suppressions. */
const counting = () => ({ OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] });

const keyOf = ({ address, list, reason }: Pick<NewSuppression, 'address' | 'list' | 'reason'>): string =>
  JSON.stringify([address, list ?? null, reason]);

function checkedOrError(tenantId: string, input: CreateSuppressionInput, index: number): NewSuppression | AppError {
  try {
    const { address, reason, list, expiresAt } = checkInput(CreateSuppressionInput.rules, input, `input.${index}`);
    return { tenantId, address, reason: reason ?? SuppressionReason.MANUAL, list: list ?? null, expiresAt: expiresAt ?? null };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

export function toSuppression(row: ListedSuppression): EmailSuppression {
  const { address, reason, list, createdAt, expiresAt, emailId, diagnostic } = row;
  return {
    address,
    reason: reason as SuppressionReason,
    list: list === ALL_MAILS ? null : list,
    createdAt,
    expiresAt,
    messageId: emailId,
    diagnostic,
  };
}
