import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Database } from '../../common/database/database.js';
import { lockTenant } from '../../common/database/tenant-database.js';
import { AppError } from '../../common/base/app-error.js';
import { isId, timeOfId, uuidv7 } from '../../common/base/ids.js';
import { Cursors } from '../../common/lists/cursors.js';
import type { Page } from '../../common/lists/page.js';
import type { Person } from '../../common/tenants/tenant-data.js';
import { tenantBeingDeleted, TenantsService } from '../../common/tenants/tenants.service.js';
import { checkText, MAX_NAME } from '../../common/base/text.js';
import type { PersonErasureModel } from '../../generated/sqlite/models.js';
import { type Actor, AuditService, SERVER } from './audit.service.js';
import { MAX_RUNNING_ERASURES } from './person-erasure.model.js';

const NOBODY: Person = { authorId: null, recipient: null, emailAddress: null };

/** Number of erased items by kind. */
export type Erased = Record<string, number>;

/** Erasure with the identifiers of the person, empty after completion. */
export interface StoredErasure extends Person {
  id: string;
  tenantId: string;
  createdAt: Date;
  erased: Erased;
  problem: string | null;
  endedAt: Date | null;
}

/** Stores erasures of persons, and logs the start and end of each without data of the person. */
@Injectable()
export class PersonErasuresService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantsService,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
  ) {}

  /** Stores an order to erase a person, which a background job executes. */
  async order(actor: Actor, tenantId: string, person: Person): Promise<StoredErasure> {
    const { id, name, state } = await this.tenants.get(tenantId);
    if (state === 'DELETING') throw tenantBeingDeleted(id);
    const data = { id: uuidv7(), tenantId: id, ...person, erased: '{}', problem: null, endedAt: null };
    await this.database.of(id).$transaction(async (own) => {
      await lockTenant(own, this.database.dialect);
      if ((await own.personErasure.count({ where: { endedAt: null } })) >= MAX_RUNNING_ERASURES) throw tooMany();
      await own.personErasure.create({ data });
      const values = { before: null, after: `RUNNING: ${given(person)}` };
      const everyTenant = own.acrossTenants('the log record belongs to the admin tenant');
      await this.audit.erasure(everyTenant, actor, 'erasePerson', { id: data.id, tenant: { id, name }, ...values });
    });
    return toErasure(data);
  }

  async find(id: string): Promise<StoredErasure | null> {
    checkText('id', id, { max: MAX_NAME });
    const { personErasure } = this.database.acrossTenants('an admin reads the erasures of every tenant');
    const row = isId(id) ? await personErasure.findUnique({ where: { id } }) : null;
    return row && toErasure(row);
  }

  /** Returns a page of erasures, newest first. @throws NOT_FOUND for an unknown tenant */
  async page(caller: Caller, tenantId: string, nextToken: string | null, asked: number | null): Promise<Page<StoredErasure>> {
    checkText('tenantId', tenantId, { max: MAX_NAME });
    const limit = this.cursors.limit(asked);
    const context = { tenantId: caller.tenantId, operation: 'personErasures', filter: { tenantId } };
    const after = this.cursors.after(nextToken, context);
    const { id } = await this.tenants.get(tenantId);
    const where = after === undefined ? {} : { id: { lt: after } };
    const rows = await this.database.of(id).personErasure.findMany({ where, orderBy: { id: 'desc' }, take: limit + 1 });
    return this.cursors.firstOf(rows.map(toErasure), limit, context);
  }

  /** Returns the running erasures, oldest first. */
  async running({ after = '', limit }: { after?: string; limit: number }): Promise<StoredErasure[]> {
    const where = { endedAt: null, id: { gt: after } };
    const { personErasure } = this.database.acrossTenants('one job serves all tenants');
    const rows = await personErasure.findMany({ where, orderBy: { id: 'asc' }, take: limit });
    return rows.map(toErasure);
  }

  /** Stores the progress of an erasure, and its current obstacle, if any. */
  async note({ id, tenantId }: StoredErasure, erased: Erased, problem: string | null): Promise<void> {
    const data = { erased: JSON.stringify(erased), problem };
    await this.database.of(tenantId).personErasure.updateMany({ where: { id, endedAt: null }, data });
  }

  /** Completes an erasure and clears its identifiers of the person. Does nothing if it is already complete. */
  async end(erasure: StoredErasure): Promise<void> {
    const { id, tenantId, erased } = erasure;
    const name = (await this.tenants.find(tenantId))?.name ?? null;
    const counts = Object.entries(erased).map(([kind, count]) => `${count} ${kind}`);
    await this.database.acrossTenants('the log record belongs to the admin tenant').$transaction(async (transaction) => {
      const { count } = await transaction.personErasure.updateMany({
        where: { id, tenantId, endedAt: null },
        data: { ...NOBODY, problem: null, endedAt: new Date() },
      });
      if (count === 0) return;
      const values = { before: `RUNNING: ${given(erasure)}`, after: ['DONE', ...counts].join(', ') };
      await this.audit.erasure(transaction, SERVER, 'endPersonErasure', { id, tenant: { id: tenantId, name }, ...values });
    });
  }
}

const tooMany = (): AppError => {
  const message = `The tenant already has ${MAX_RUNNING_ERASURES} running erasures, the maximum; retry later`;
  return new AppError('FAILED_PRECONDITION', message);
};

const given = (person: Person): string =>
  (Object.keys(NOBODY) as (keyof Person)[]).filter((name) => person[name] !== null).join(', ');

function toErasure({ erased, ...row }: PersonErasureModel): StoredErasure {
  return { ...row, createdAt: new Date(timeOfId(row.id)), erased: JSON.parse(erased) as Erased };
}
