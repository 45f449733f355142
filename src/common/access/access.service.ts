import { Injectable } from '@nestjs/common';
import { AppError, badInput, notFound, quoted } from '../base/app-error.js';
import { isId, uuidv7 } from '../base/ids.js';
import { checkInput } from '../base/text.js';
import type { Caller } from '../auth/caller.js';
import { knownOperations } from '../auth/operations.js';
import { isWider, normaliseScope } from '../auth/scopes.js';
import { type AllTenantsTransaction, Database } from '../database/database.js';
import { KeyBinding } from '../signing/key-binding.js';
import { TenantData } from '../tenants/tenant-data.js';
import { AccessTokens, MAX_TOKEN_LENGTH, subjectsOf, type TokenContent } from '../tokens/access-tokens.js';
import { endTokens, subjectOfRecipient } from '../tokens/cutoffs.queries.js';
import { boundIn, isBound } from '../tokens/token-bounds.js';
import { TokenCutoffs } from '../tokens/token-cutoffs.js';
import type { AccessInputs, AccessTokenInput, DenyAccessInput } from './access-token.inputs.js';
import type { AccessDenial, CreatedToken } from './access-token.model.js';

/** Records a denial in the audit log, in its transaction. */
export type NoteDenial = (
  transaction: AllTenantsTransaction,
  caller: Caller,
  denial: { keyId: string | null; at: Date },
) => Promise<void>;

/** Creates and ends access tokens. A token is not stored; denials are. */
@Injectable()
export class AccessService {
  private note: NoteDenial = () => Promise.resolve();
  private operations?: ReturnType<typeof knownOperations>;

  constructor(
    private readonly database: Database,
    private readonly binding: KeyBinding,
    private readonly tokens: AccessTokens,
    private readonly cutoffs: TokenCutoffs,
    data: TenantData,
  ) {
    data.addRows('cutoffs of access tokens', 'AccessCutoff', 'tenantId', 'subject');
  }

  /** Sets the writer of the audit log. Its module calls it in its constructor. */
  noteDenials(note: NoteDenial): void {
    this.note = note;
  }

  /** @throws BAD_USER_INPUT; FORBIDDEN for more than the key has, and for a token or a person as caller */
  async create(caller: Caller, inputs: AccessInputs, input: AccessTokenInput): Promise<CreatedToken> {
    if (caller.token || caller.person) throw new AppError('FORBIDDEN', 'Only a key can create access tokens; use the key');
    const { scope, expiresIn, ...given } = checkInput(inputs.AccessTokenInput.rules, input);
    this.operations ??= knownOperations();
    const entries = normaliseScope(scope.join(' '), this.operations, 'input.scope').split(' ');
    const { recipient = null, filePrefix = null, origins = null } = given;
    const bounds = { recipient: recipient ?? undefined, filePrefix: filePrefix ?? undefined, origins: origins ?? undefined };
    checkServices(entries, bounds);
    const { keyId, tenantId } = caller;
    const now = Date.now();
    const { issuedAt, key } = await this.readKey({ tenantId, keyId, recipient: bounds.recipient }, now);
    const missing = entries.find((entry) => isWider(entry, key.scope));
    if (missing) throw new AppError('FORBIDDEN', `The key's scope lacks the entry ${missing}, so its tokens cannot have it`);
    const expiresAt = Math.min(now + 1_000 * expiresIn, key.expiresAt?.getTime() ?? Infinity);
    const content: TokenContent = { id: uuidv7(), tenantId, keyId, scope: entries, issuedAt, expiresAt, ...bounds };
    const token = this.tokens.issue(content);
    if (token.length > MAX_TOKEN_LENGTH) {
      throw badInput(
        'input',
        `must result in a token of at most ${MAX_TOKEN_LENGTH} characters; send a shorter scope, such as with *`,
      );
    }
    return { token, id: content.id, expiresAt: new Date(expiresAt), scope: entries, recipient, filePrefix, origins };
  }

  /** @throws BAD_USER_INPUT; NOT_FOUND for a key of no, or another, tenant; FORBIDDEN for a token as caller */
  async deny(caller: Caller, inputs: AccessInputs, input: DenyAccessInput): Promise<AccessDenial> {
    if (caller.token) throw new AppError('FORBIDDEN', 'An access token cannot end tokens; use the key');
    const { keyId = null, recipient = null } = checkInput(inputs.DenyAccessInput.rules, input);
    const { tenantId } = caller;
    const deniedAt = new Date();
    await this.database.acrossTenants('a denial is recorded in the audit log').$transaction(async (transaction) => {
      if (keyId !== null) {
        const key = isId(keyId) ? await transaction.apiKey.findFirst({ where: { id: keyId, tenantId } }) : null;
        if (!key) throw notFound(`Key ${quoted(keyId)}`);
      }
      await endTokens(transaction, { tenantId, subject: keyId ?? subjectOfRecipient(tenantId, recipient!) });
      await this.note(transaction, caller, { keyId, at: deniedAt });
    });
    await this.cutoffs.read();
    return { keyId, recipient, deniedAt };
  }

  /**
   * Reads a key as it is now, since a cached one may have been revoked. Cutoffs are read before it: a token must not begin after a
   * cutoff with rights from before it.
   */
  private async readKey(of: Pick<TokenContent, 'tenantId' | 'keyId' | 'recipient'>, now: number) {
    const own = this.database.of(of.tenantId);
    const cutoffs = await own.accessCutoff.findMany({ where: { subject: { in: subjectsOf(of) } } });
    const key = await own.apiKey.findFirst({ where: { id: of.keyId, revokedAt: null } });
    if (!key || !this.binding.isBound(key)) throw new AppError('UNAUTHENTICATED', 'The key is revoked; use another one');
    return { key, issuedAt: Math.max(now, ...cutoffs.map(({ at }) => at.getTime() + 1)) };
  }
}

/** Refuses entries that a bound token could not use. @throws BAD_USER_INPUT naming the entry */
function checkServices(entries: string[], bounds: Pick<TokenContent, 'recipient' | 'filePrefix'>): void {
  if (!isBound(bounds)) return;
  const wrong = entries.find((entry) => !boundIn(entry.slice(0, entry.indexOf('-api:')), bounds));
  if (wrong === undefined) return;
  const advice = 'a recipient allows websockets-manager, and a filePrefix file-management';
  throw badInput('input.scope', `cannot have ${wrong} in a token with these bounds: ${advice}`);
}
