import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SessionModel } from '../../generated/sqlite/models.js';
import { AppError, notFound, quoted } from '../base/app-error.js';
import { isId, uuidv7 } from '../base/ids.js';
import { checkText } from '../base/text.js';
import { type AllTenants, type AllTenantsTransaction, Database } from '../database/database.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';
import { type Signer, Signing } from '../signing/signer.js';
import { ADMIN_TENANT } from '../tenants/tenant-names.js';
import type { Caller, Person } from './caller.js';
import { administers, scopeIn, tenantsOf } from './roles.js';

export const SESSION_SECONDS = 8 * 3_600;
/** Maximum number of roles of a person. */
export const MAX_ROLES = 200;
/** Maximum number of tenants in one answer to Studio. */
const MAX_TENANTS = 100;
const EVERY_MS = 60_000;
const TOKEN = /^[\w-]{43}$/;

export interface Session extends Omit<SessionModel, 'roles'> {
  roles: string[];
}

/** Records the end of a session in the transaction of that change. */
type NoteEnd = (transaction: AllTenantsTransaction, before: Session, after: Session) => Promise<unknown>;

/**
 * Sessions of people in Studio. The token of a session leaves this class once, for the cookie; its SHA-256 is stored. As with keys, a
 * MAC binds the row, so that nobody without SECRET_KEY gains rights by writing to the database.
 */
@Injectable()
export class SessionsService {
  private readonly signer: Signer;
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly database: Database,
    signing: Signing,
    jobs: BackgroundJobs,
  ) {
    this.signer = signing.for('session');
    this.everyTenant = database.acrossTenants('a person may use several tenants');
    jobs.add({ name: 'session-expiry', everyMs: EVERY_MS, run: () => this.deleteExpired() });
  }

  /** Creates a session, and returns its token. */
  async create({ id: personId, name }: Person, roles: readonly string[]): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + SESSION_SECONDS * 1_000);
    const bound = { hash: hashOf(token), personId, name, roles: JSON.stringify(roles), expiresAt };
    const mac = this.signer.sign(...partsOf(bound));
    await this.database.session.create({ data: { ...bound, id: uuidv7(), createdAt, revokedAt: null, mac } });
    return token;
  }

  /** Returns the session of a token; undefined if it is unknown, expired or revoked. */
  async find(token: string): Promise<Session | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const row = await this.database.session.findUnique({ where: { hash: hashOf(token) } });
    const isLive = row && !row.revokedAt && row.expiresAt > new Date() && this.signer.verify(row.mac, ...partsOf(row));
    return isLive ? toSession(row) : undefined;
  }

  /** Returns the caller that a session is in a tenant. @throws NOT_FOUND for a tenant that its roles do not name */
  async callerIn({ id, personId, name, roles }: Session, tenantId: string): Promise<Caller> {
    const isAdmin = tenantId === ADMIN_TENANT;
    const tenant = isId(tenantId) && (await this.everyTenant.tenant.findUnique({ where: { id: tenantId } }));
    const tenantName = isAdmin ? ADMIN_TENANT : tenant ? tenant.name : undefined;
    const scope = tenantName === undefined ? undefined : scopeIn(roles, tenantName);
    if (!scope) throw notFound(`Tenant ${quoted(tenantId)}`);
    return { tenantId, keyId: id, keyPrefix: `session ${id}`, scope, person: { id: personId, name } };
  }

  /** Returns tenants of a session in the order of their names, beginning with the name `from`; at most MAX_TENANTS. */
  async tenantsOf({ roles }: Session, from: string): Promise<{ id: string; name: string }[]> {
    const names = tenantsOf(roles);
    const found = await this.everyTenant.tenant.findMany({
      where: { name: { gte: from, ...(names && { in: names }) }, deletingAt: null, id: { not: ADMIN_TENANT } },
      select: { id: true, name: true },
      orderBy: { name: 'asc' },
      take: MAX_TENANTS,
    });
    return administers(roles) ? [...found, { id: ADMIN_TENANT, name: ADMIN_TENANT }] : found;
  }

  /** Returns sessions created after the one with the id `after`, including revoked ones until they expire. */
  async some({ after = '', limit }: { after?: string; limit: number }): Promise<Session[]> {
    const rows = await this.database.session.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take: limit });
    return rows.map(toSession);
  }

  /** Ends a session, on every node within 5 seconds. Ending it again keeps the first time. @throws NOT_FOUND */
  async revoke(id: string, note: NoteEnd = () => Promise.resolve()): Promise<Session> {
    checkText('id', id, { min: 1, max: 64 });
    return this.everyTenant.$transaction(async (transaction) => {
      const row = await transaction.session.findUnique({ where: { id } });
      if (!row) throw notFound(`Session ${quoted(id)}`);
      if (row.revokedAt) return toSession(row);
      const ended = { revokedAt: new Date(), mac: '' };
      const { count } = await transaction.session.updateMany({ where: { id, revokedAt: null }, data: ended });
      if (count === 0) throw new AppError('CONFLICT', `Session ${id} was changed concurrently; try again`);
      const [before, after] = [toSession(row), toSession({ ...row, ...ended })];
      await note(transaction, before, after);
      return after;
    });
  }

  private async deleteExpired(): Promise<void> {
    await this.database.session.deleteMany({ where: { expiresAt: { lte: new Date() } } });
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

type Bound = Pick<SessionModel, 'hash' | 'personId' | 'name' | 'roles' | 'expiresAt'>;

const partsOf = ({ hash, personId, name, roles, expiresAt }: Bound): string[] => [
  hash,
  personId,
  name,
  roles,
  String(expiresAt.getTime()),
];

const toSession = (row: SessionModel): Session => ({ ...row, roles: JSON.parse(row.roles) as string[] });
