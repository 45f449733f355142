import { Injectable } from '@nestjs/common';
import type { StoredKey } from '../../common/auth/api-keys.service.js';
import type { Caller } from '../../common/auth/caller.js';
import type { Session } from '../../common/auth/sessions.service.js';
import type { AllTenantsTransaction } from '../../common/database/database.js';
import { ADMIN_TENANT } from '../../common/tenants/tenant-names.js';
import type { Tenant } from '../../common/tenants/tenants.service.js';
import { LogRecorderService } from '../document-log/logs/log-recorder.service.js';

/** Author of an action: an admin key, a person, the command line, or the server itself. */
export interface Actor {
  id: string;
  name: string;
}

export const COMMAND_LINE: Actor = { id: 'command-line', name: 'command line' };
/** Author of the records that the server's jobs write at the end of deletions and erasures. */
export const SERVER: Actor = { id: 'server', name: 'server' };

export const actorOf = ({ keyId, keyPrefix, person }: Caller): Actor => person ?? { id: keyId, name: keyPrefix };

type Values = Record<string, string | null>;

interface Action {
  actor: Actor;
  name: string;
  documentType: 'tenant' | 'key' | 'session';
  documentId: string;
  /** Display name of the document, in the comment of its records. */
  called: string | null;
  /** Id of a key's tenant, in custom1. */
  tenantId?: string;
  before: Values;
  after: Values;
}

/**
 * Logs admin actions in the document log of the admin tenant, which seals them like all records. Writes one record per changed attribute,
 * in the transaction of the action.
 */
@Injectable()
export class AuditService {
  constructor(private readonly log: LogRecorderService) {}

  tenant(
    transaction: AllTenantsTransaction,
    actor: Actor,
    name: string,
    { before, after }: { before?: Tenant; after?: Tenant },
  ): Promise<void> {
    const documentId = (before ?? after)!.id;
    const values = { before: before ? valuesOfTenant(before) : {}, after: after ? valuesOfTenant(after) : {} };
    return this.record(transaction, {
      actor,
      name,
      documentType: 'tenant',
      documentId,
      called: (before ?? after)!.name,
      ...values,
    });
  }

  key(
    transaction: AllTenantsTransaction,
    actor: Actor,
    name: string,
    keys: { before?: StoredKey; after: StoredKey },
  ): Promise<void> {
    const { before, after } = keys;
    const values = { before: before ? valuesOfKey(before) : {}, after: valuesOfKey(after) };
    const { id: documentId, tenantId, prefix } = after;
    const called = after.name ? `${after.name} (${prefix})` : prefix;
    return this.record(transaction, { actor, name, documentType: 'key', documentId, called, tenantId, ...values });
  }

  /** Records the end of a session, under the name of its person. */
  session(
    transaction: AllTenantsTransaction,
    actor: Actor,
    name: string,
    keys: { before: Session; after: Session },
  ): Promise<void> {
    const { id: documentId, name: called } = keys.before;
    const [before, after] = [valuesOfSession(keys.before), valuesOfSession(keys.after)];
    return this.record(transaction, { actor, name, documentType: 'session', documentId, called, before, after });
  }

  /** Records a step of an erasure: its progress, without data of the person. */
  erasure(
    transaction: AllTenantsTransaction,
    actor: Actor,
    name: string,
    {
      id,
      tenant,
      before,
      after,
    }: { id: string; tenant: { id: string; name: string | null }; before: string | null; after: string },
  ): Promise<void> {
    const attribute = `erasure ${id}`;
    const values = { before: { [attribute]: before }, after: { [attribute]: after } };
    return this.record(transaction, {
      actor,
      name,
      documentType: 'tenant',
      documentId: tenant.id,
      called: tenant.name,
      ...values,
    });
  }

  /** Records that a tenant's key ended tokens. Does not name a recipient, since this log is not erased. */
  denial(transaction: AllTenantsTransaction, caller: Caller, { keyId, at }: { keyId: string | null; at: Date }): Promise<void> {
    const { tenantId } = caller;
    const document = { documentType: keyId ? 'key' : 'tenant', documentId: keyId ?? tenantId } as const;
    const after = { [keyId ? 'tokens of the key ended' : 'tokens for a recipient ended']: at.toISOString() };
    const action = { actor: actorOf(caller), name: 'denyAccess', called: null, tenantId, before: {}, after };
    return this.record(transaction, { ...action, ...document });
  }

  private record(
    transaction: AllTenantsTransaction,
    { actor, name, called, tenantId, before, after, ...document }: Action,
  ): Promise<void> {
    const dateTime = new Date();
    const attributes = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changed = attributes.filter((id) => (before[id] ?? null) !== (after[id] ?? null));
    const records = changed.map((id) => ({
      ...document,
      dateTime,
      action: name,
      author: actor,
      comment: called,
      custom1: tenantId,
      attribute: { id },
      attributeOldValue: valueOf(before[id]),
      attributeNewValue: valueOf(after[id]),
    }));
    return this.log.record(transaction, ADMIN_TENANT, records);
  }
}

const valueOf = (raw: string | null | undefined) => (raw === null || raw === undefined ? null : { raw });

function valuesOfTenant({ name, state, parentId, limits, own, retention, ownRetention }: Tenant): Values {
  const limited = [...own].map((limit) => [limit, limits[limit] === Infinity ? 'unlimited' : String(limits[limit])] as const);
  const kept = [...ownRetention].map((kind) => [`retention of ${kind}`, `${retention[kind]} days`] as const);
  return { name, state, parentId, ...Object.fromEntries([...limited, ...kept]) };
}

function valuesOfKey({ tenantId, name, prefix, scope, expiresAt, revokedAt }: StoredKey): Values {
  return {
    tenantId,
    name,
    prefix,
    scope,
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

const valuesOfSession = ({ revokedAt }: Session): Values => ({ revokedAt: revokedAt?.toISOString() ?? null });
