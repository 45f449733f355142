import { Injectable } from '@nestjs/common';
import {
  ApiKeysService,
  type KeyChange,
  type KeyOrder,
  type NewKey,
  type NoteKeyChange,
  type StoredKey,
} from '../../common/auth/api-keys.service.js';
import type { Caller } from '../../common/auth/caller.js';
import { missingEntry } from '../../common/auth/scopes.js';
import { Cursors } from '../../common/lists/cursors.js';
import type { Page } from '../../common/lists/page.js';
import { TenantsService } from '../../common/tenants/tenants.service.js';
import { checkInput, checkText, MAX_NAME } from '../../common/base/text.js';
import { CreateKeyInput, RotateKeyInput, UpdateKeyInput } from './admin.inputs.js';
import { type Actor, actorOf, AuditService, COMMAND_LINE } from './audit.service.js';

/** Administers keys for the API and the command line, and logs each action. Hides admin keys from the API. */
@Injectable()
export class KeyAdministrationService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly tenants: TenantsService,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
  ) {}

  /** Returns a page of keys in creation order. @throws NOT_FOUND for an unknown tenant */
  async page(caller: Caller, tenantId: string, nextToken: string | null, limitOrNone: number | null): Promise<Page<StoredKey>> {
    checkText('tenantId', tenantId, { max: MAX_NAME });
    const limit = this.cursors.limit(limitOrNone);
    const context = { tenantId: caller.tenantId, operation: 'keys', filter: { tenantId } };
    const after = this.cursors.after(nextToken, context);
    const { id } = await this.tenants.get(tenantId);
    const found = await this.keys.some(id, { after, limit: limit + 1 });
    return this.cursors.firstOf(found, limit, context);
  }

  create(caller: Caller, input: CreateKeyInput): Promise<NewKey> {
    const { tenantId, name, scope, expiresIn } = checkInput(CreateKeyInput.rules, input);
    const order = { name, scope: scope.join(' '), expiresInSeconds: expiresIn };
    return this.keys.createFor(tenantId, order, this.noted(actorOf(caller), 'createKey'));
  }

  /** Creates a key and returns its secret. Creates the tenant if it is missing. The scope may include entries of admin-api. */
  createOnCommandLine(order: KeyOrder & { tenant: string }): Promise<string> {
    return this.keys.create(order, this.noted(COMMAND_LINE, 'createKey'));
  }

  async rotate(caller: Caller, input: RotateKeyInput): Promise<NewKey> {
    const { id, overlap, expiresIn } = checkInput(RotateKeyInput.rules, input);
    const lifetimes = { overlapSeconds: overlap, expiresInSeconds: expiresIn };
    return this.keys.rotate(await this.keys.find(id), lifetimes, this.noted(actorOf(caller), 'rotateKey'));
  }

  /** Replaces what the input has. A caller that may not create keys can only narrow one. */
  async update(caller: Caller, id: string, input: UpdateKeyInput): Promise<StoredKey> {
    checkText('id', id, { max: MAX_NAME });
    const { name, scope, expiresIn } = checkInput(UpdateKeyInput.rules, input);
    await this.keys.find(id);
    const mayWiden = missingEntry(caller.scope, 'admin', 'mutation', 'createKey') === undefined;
    const change = { name, scope: scope?.join(' '), expiresInSeconds: expiresIn, mayWiden };
    return this.keys.update(id, change, this.noted(actorOf(caller), 'updateKey'));
  }

  /** Changes any key, including admin keys. */
  async updateOnCommandLine(id: string, change: Omit<KeyChange, 'mayWiden'>): Promise<void> {
    await this.keys.update(id, { ...change, mayWiden: true }, this.noted(COMMAND_LINE, 'updateKey'));
  }

  async revoke(caller: Caller, id: string): Promise<StoredKey> {
    checkText('id', id, { max: MAX_NAME });
    await this.keys.find(id);
    await this.keys.revoke(id, this.noted(actorOf(caller), 'revokeKey'));
    return this.keys.find(id);
  }

  /** Revokes any key, including admin keys. */
  revokeOnCommandLine(id: string): Promise<void> {
    return this.keys.revoke(id, this.noted(COMMAND_LINE, 'revokeKey'));
  }

  private noted(actor: Actor, action: string): NoteKeyChange {
    return (transaction, before, after) => this.audit.key(transaction, actor, action, { before, after });
  }
}
