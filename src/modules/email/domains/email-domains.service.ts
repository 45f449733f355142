import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { lockTenant, type TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError, notFound } from '../../../common/base/app-error.js';
import { isUniqueViolation } from '../../../common/base/database-faults.js';
import { uuidv7 } from '../../../common/base/ids.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { StoredSecrets } from '../../../common/signing/stored-secrets.js';
import { inheritedIsReadOnly, ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { TenantData } from '../../../common/tenants/tenant-data.js';
import { checkInput } from '../../../common/base/text.js';
import { toBase32 } from '../../../common/base/base32.js';
import { parseAddress } from '../../../common/base/email-address.js';
import { DomainKeyMaker, type KeyTexts } from './domain-keys.js';
import { DomainChecksService } from './domain-checks.service.js';
import { toDomain } from './domain-records.js';
import type { EmailDomainRow } from './email-domain-row.js';
import type { EmailDomain } from './email-domain.model.js';
import { CHECK_AGAIN_MS, MAX_DOMAIN, MAX_DOMAINS } from './limits.js';
import { nextCheckAt } from './next-check.js';

const FORM = 'must be a domain of at least two labels, such as example.com';
/** Reserved top-level names, which are never resolved (RFC 6761, 6762, 7686, 9476), and arpa (RFC 3172). */
const RESERVED = /(?:^|\.)(?:localhost|local|invalid|onion|alt|arpa)$/;

/**
 * Checks a domain, and returns it in lowercase ASCII. Accepts public suffixes, such as co.uk: only their registry can set the verifying
 * records.
 */
const domainRules = z.string('is required').transform((text, context): string => {
  const parsed = parseAddress(`a@${text}`);
  const domain = 'address' in parsed ? parsed.address.slice(2) : undefined;
  const fault = domain === undefined || !domain.includes('.') ? FORM : faultOf(domain);
  if (fault === undefined) return domain!;
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
});

function faultOf(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN) return `must have at most ${MAX_DOMAIN} characters, in ASCII`;
  if (RESERVED.test(domain)) return `must be a public domain; ${domain.split('.').at(-1)} is reserved`;
  return undefined;
}

const TABLE = 'EmailDomain';
const TOKEN_BYTES = 20;

/** Manages the domains that a tenant may send from, with their signing keys. */
@Injectable()
export class EmailDomainsService {
  private readonly keys = new DomainKeyMaker();

  constructor(
    private readonly database: Database,
    private readonly secrets: StoredSecrets,
    private readonly checks: DomainChecksService,
    private readonly cursors: Cursors,
    private readonly parents: ParentTenants,
    data: TenantData,
  ) {
    data.addRows('email domains', TABLE, 'id');
  }

  /** Returns a page of domains by name. */
  async page({ tenantId }: Caller, nextToken: string | null, limit: number | null): Promise<Page<EmailDomain>> {
    const size = this.cursors.limit(limit ?? MAX_DOMAINS, MAX_DOMAINS);
    const context = { tenantId, operation: 'emailDomains', filter: {} };
    const after = this.cursors.after(nextToken, context);
    const behind = after === undefined ? {} : { domain: { gt: after } };
    const order = { orderBy: { domain: 'asc' }, take: size + 1 } as const;
    const own = await this.database.of(tenantId).emailDomain.findMany({ where: behind, ...order });
    const inherited = await this.parents.of(tenantId)?.emailDomain.findMany({ where: { ...behind, ...VERIFIED }, ...order });
    const rows = inherited ? merged(own, inherited) : own;
    const shown = rows.slice(0, size).map((row) => ({ ...this.toDomain(row), inherited: row.tenantId !== tenantId }));
    return this.cursors.page(shown, rows.length > size, ({ domain }) => domain, context);
  }

  /** Returns true if any address of a domain may be `from`: it is verified by the tenant or its parent. */
  async isVerified(tenantId: string, domain: string): Promise<boolean> {
    for (const rows of [this.database.of(tenantId), this.parents.of(tenantId)]) {
      const row = await rows?.emailDomain.findFirst({ where: { domain }, select: { status: true } });
      if (row?.status === 'VERIFIED') return true;
    }
    return false;
  }

  /** Creates a domain with its own keys. Idempotent. @throws PAYLOAD_TOO_LARGE over MAX_DOMAINS */
  async create({ tenantId }: Caller, domainInput: string): Promise<EmailDomain> {
    const domain = checkInput(domainRules, domainInput, 'domain');
    const own = this.database.of(tenantId);
    const before = await own.emailDomain.findFirst({ where: { domain } });
    if (before) return this.toDomain(before);
    await checkRoom(own); // generating keys is slow
    const keys = await this.keys.make(tenantId);
    const id = uuidv7();
    const createdAt = new Date();
    const fresh = { status: 'PENDING', createdAt, failingSince: null, nextSelector: null, rotatedAt: null } as const;
    const data = {
      ...fresh,
      id,
      tenantId,
      domain,
      ownershipToken: toBase32(randomBytes(TOKEN_BYTES)),
      selector: keys.selector,
      publicKeys: JSON.stringify(keys.publicKeys),
      privateKeys: this.sealed(id, keys.privateKeys),
      dueAt: nextCheckAt(fresh, createdAt),
    };
    try {
      const row = await own.$transaction(async (transaction) => {
        await lockTenant(transaction, this.database.dialect);
        await checkRoom(transaction);
        return transaction.emailDomain.create({ data });
      });
      return this.toDomain(row);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return this.toDomain(await this.row(tenantId, domain)); // created concurrently
    }
  }

  /** Checks the records now. @throws NOT_FOUND; RATE_LIMITED within CHECK_AGAIN_MS of the last check */
  async check({ tenantId }: Caller, domainInput: string): Promise<EmailDomain> {
    const row = await this.row(tenantId, checkInput(domainRules, domainInput, 'domain'));
    const now = Date.now();
    const isFree = { OR: [{ askedAt: null }, { askedAt: { lte: new Date(now - CHECK_AGAIN_MS) } }] };
    const { count } = await this.database
      .of(tenantId)
      .emailDomain.updateMany({ where: { id: row.id, ...isFree }, data: { askedAt: new Date(now) } });
    if (count === 0) throw tooSoon(row.domain);
    const checked = await this.checks.check(row);
    if (!checked) throw unknown(row.domain);
    return this.toDomain(checked);
  }

  /**
   * Generates new keys, which sign once a check finds their records. Idempotent until then.
   * @throws NOT_FOUND; FAILED_PRECONDITION unless VERIFIED
   */
  async rotate({ tenantId }: Caller, domainInput: string): Promise<EmailDomain> {
    const row = await this.row(tenantId, checkInput(domainRules, domainInput, 'domain'));
    if (row.status !== 'VERIFIED') throw notVerified(row);
    if (row.nextSelector !== null) return this.toDomain(row);
    const keys = await this.keys.make(tenantId);
    const rotatedAt = new Date();
    const { id, selector } = row;
    const next = {
      nextSelector: keys.selector,
      nextPublicKeys: JSON.stringify(keys.publicKeys),
      nextPrivateKeys: this.sealed(id, keys.privateKeys),
      rotatedAt,
    };
    await this.database.of(tenantId).emailDomain.updateMany({
      where: { id, selector, nextSelector: null },
      data: { ...next, dueAt: nextCheckAt({ ...row, ...next }, rotatedAt) },
    });
    return this.toDomain(await this.row(tenantId, row.domain));
  }

  /** Deletes a domain with its keys. Messages accepted earlier are still sent. @throws NOT_FOUND */
  async delete({ tenantId }: Caller, domainInput: string): Promise<EmailDomain> {
    const row = await this.row(tenantId, checkInput(domainRules, domainInput, 'domain'));
    const { count } = await this.database.of(tenantId).emailDomain.deleteMany({ where: { id: row.id } });
    if (count === 0) throw unknown(row.domain);
    return this.toDomain(row);
  }

  private async row(tenantId: string, domain: string): Promise<EmailDomainRow> {
    const row = await this.database.of(tenantId).emailDomain.findFirst({ where: { domain } });
    if (row) return row;
    const isInherited = await this.parents.of(tenantId)?.emailDomain.count({ where: { domain, ...VERIFIED } });
    throw isInherited ? inheritedIsReadOnly(`The domain ${domain}`) : unknown(domain);
  }

  private sealed(id: string, keys: KeyTexts): string {
    return this.secrets.seal(TABLE, id, JSON.stringify(keys));
  }

  private toDomain(row: EmailDomainRow): EmailDomain {
    return toDomain(row, this.checks.settings);
  }
}

const VERIFIED = { status: 'VERIFIED' } as const;

/** Adds the domains of the parent that the tenant does not have itself, by name. */
function merged(own: EmailDomainRow[], inherited: EmailDomainRow[]): EmailDomainRow[] {
  const names = new Set(own.map(({ domain }) => domain));
  const all = [...own, ...inherited.filter(({ domain }) => !names.has(domain))];
  return all.sort((one, other) => (one.domain < other.domain ? -1 : 1));
}

const unknown = (domain: string): AppError => notFound(`The domain ${domain}`);

async function checkRoom({ emailDomain }: Pick<TenantTransaction, 'emailDomain'>): Promise<void> {
  if ((await emailDomain.count()) < MAX_DOMAINS) return;
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `The tenant already has ${MAX_DOMAINS} domains, the maximum; delete some with deleteEmailDomain`,
  );
}

const tooSoon = (domain: string): AppError =>
  new AppError('RATE_LIMITED', `The records of ${domain} were checked less than ${CHECK_AGAIN_MS / 1_000} s ago; retry later`, {
    headers: { 'retry-after': String(CHECK_AGAIN_MS / 1_000) },
  });

function notVerified({ domain, status }: EmailDomainRow): AppError {
  const instead = 'publish its records, or delete it and create it again';
  return new AppError('FAILED_PRECONDITION', `The domain ${domain} is ${status}, so its keys are not in use; ${instead}`);
}
