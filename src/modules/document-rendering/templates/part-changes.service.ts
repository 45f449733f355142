import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError, quoted } from '../../../common/base/app-error.js';
import { isWriteConflict } from '../../../common/base/database-faults.js';
import type { NewEvent } from '../../../common/events/outbox/event.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { TemplateEngine } from '../engine/template-engine.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_USERS } from '../models/limits.js';
import { ComposerService, type Unsaved } from './composer.service.js';
import { type Parts, variantsOf } from './template-parts.js';
import { countChange, directUsersOf, type PartKey, partsRevision, usersOf } from './template-parts.queries.js';

/** Caller fields needed by checks. */
type Asking = Pick<Caller, 'tenantId' | 'budget'>;

/** Change that was checked against all stored parts. */
export interface CheckedChange<T> {
  kind: Pick<NewEvent, 'tenantId' | 'service' | 'type'>;
  /** True if the result depends on other parts of the tenant, so that none may change before the commit. */
  isComposed: boolean;
  /** Writes the change. Returns undefined if a concurrent change requires a new check. */
  write: (own: TenantTransaction) => Promise<T | undefined>;
  tell: (result: T) => Pick<NewEvent, 'subject' | 'data'>;
}

/**
 * Changes parts and the templates composed of them, one change at a time per tenant. So every stored template stays renderable,
 * despite concurrent changes on other nodes.
 */
@Injectable()
export class PartChangesService {
  constructor(
    private readonly database: Database,
    private readonly outbox: EventOutbox,
    private readonly composer: ComposerService,
    private readonly engine: TemplateEngine,
  ) {}

  /** Checks and writes a change. Starts over if a checked part changed meanwhile. */
  async make<T>(tenantId: string, check: () => Promise<CheckedChange<T>>): Promise<T> {
    for (;;) {
      const seen = await partsRevision(this.database.of(tenantId));
      const change = await check();
      const result = await this.written(tenantId, seen, change);
      if (result !== undefined) return result;
    }
  }

  /**
   * Checks that all templates composed of a part still render with its new text. Stops when the caller has disconnected.
   * @throws the error of the first that fails, with its name; PAYLOAD_TOO_LARGE for too many templates
   */
  async checkUsers(caller: Asking, part: PartKey, unsaved: Unsaved, field: string): Promise<void> {
    const { tenantId } = caller;
    const users = await usersOf(this.database.of(tenantId), part, MAX_USERS + 1);
    if (users.length > MAX_USERS) {
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `${field}: more than ${asCount(MAX_USERS)} templates use it; copy it, and use the copy in some of them`,
      );
    }
    const names = new Map(users.map(({ id, name }) => [id, name]));
    for await (const parts of this.composer.stored(this.composer.readers(tenantId), [...names.keys()], field, unsaved)) {
      const name = `the template "${quoted(names.get(parts.template.id!)!)}"`;
      const nameOf = (locale: string | null) =>
        locale === parts.template.locale ? name : `the translation ${locale} of ${name}`;
      await this.checkVariants(caller, parts, field, nameOf);
    }
  }

  /**
   * Checks a template in all of its languages. `nameOf` names the texts of a language for errors, unless the caller changes them.
   * Returns the partials that the template's own texts include.
   */
  async checkVariants(
    { tenantId, budget }: Asking,
    parts: Parts,
    field: string,
    nameOf: (locale: string | null) => string | undefined,
  ): Promise<string[]> {
    const names = new Set<string>();
    for (const { source } of variantsOf(parts)) {
      if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
      budget?.throwIfLeft();
      const { includes } = await this.engine.check(tenantId, source, field, nameOf(source.locale));
      for (const name of includes) names.add(name);
    }
    return [...names];
  }

  private async written<T>(tenantId: string, seen: number, change: CheckedChange<T>): Promise<T | undefined> {
    const { kind, isComposed, write, tell } = change;
    try {
      if (!isComposed) return await this.outbox.change(kind, write, (result) => result && tell(result));
      return await this.database.of(tenantId).$transaction(async (transaction) => {
        if (!(await countChange(transaction, seen))) return undefined;
        const result = await write(transaction);
        if (result === undefined) throw new Stale();
        await this.outbox.store(transaction.acrossTenants('an event brings its tenant'), [{ ...kind, ...tell(result) }]);
        return result;
      });
    } catch (error) {
      if (error instanceof Stale || isWriteConflict(error)) return undefined;
      throw error;
    }
  }
}

/** Maximum number of templates and partials listed in an error. */
const MAX_LISTED = 10;

/** Checks that nothing uses a part. @throws CONFLICT with the names of the templates and partials that use it */
export async function checkUnused(own: TenantTransaction, part: PartKey): Promise<void> {
  const users = await directUsersOf(own, part, MAX_LISTED + 1);
  if (users.length === 0) return;
  const listed = users.slice(0, MAX_LISTED).map(({ kind, name }) => `the ${kind} "${quoted(name)}"`);
  if (users.length > MAX_LISTED) listed.push('others');
  const used = 'layoutId' in part ? 'the template is the layout of' : 'the partial is included by';
  throw new AppError('CONFLICT', `id: ${used} ${listed.join(', ')}; change them first`, { field: 'id' });
}

/** Rolls back a change that was checked against outdated parts. */
class Stale extends Error {}
