import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Batcher } from '../scheduling/batcher.js';
import { Batchers } from '../scheduling/batchers.js';
import { Database } from '../database/database.js';
import { upToEntries } from '../base/amounts.js';
import { AppError } from '../base/app-error.js';
import { Logger } from '../logging/logger.js';
import { KeyBinding } from '../signing/key-binding.js';
import { AccessTokens, isAccessToken, tokenName } from '../tokens/access-tokens.js';
import { TokenCutoffs } from '../tokens/token-cutoffs.js';
import { SuspendedTenants } from '../tenants/suspended-tenants.js';
import { hashApiKey, isApiKey, REVOKED_WITHIN_MS } from './api-key.js';
import type { Caller } from './caller.js';
import { keyOfHash } from './keys.queries.js';
import { type KnownKey, SessionDoor, type SessionUse } from './session-door.js';

/** Cache lifetime of a lookup. The remaining second is for a lookup already running. */
const CACHE_TTL_MS = REVOKED_WITHIN_MS - 1_000;
/** Maximum age of a lookup that other callers join: a new one may be faster. */
const JOIN_MS = 500;
const CACHE_MAX_KEYS = 10_000;
/** Minimum interval between stored last uses of a key. Keys used within the same second are stored in one batch. */
const LAST_USED_INTERVAL_MS = 60_000;
const LAST_USED_GATHER_MS = 1_000;
const LAST_USED_BATCH = 1_000;
const STOP_PATIENCE_MS = 1_000;

/** Credentials of `Authorization: Bearer`. */
const BEARER = /^Bearer +(\S+)$/i;
/** Headers of a 401: the challenge that RFC 9110, 11.6.1, requires. Any page may read it, so as to ask for a new token. */
const CHALLENGE = { 'www-authenticate': 'Bearer', 'access-control-allow-origin': '*' };
const unauthenticated = (message: string): AppError => new AppError('UNAUTHENTICATED', message, { headers: CHALLENGE });

const ENDED_TOKEN = 'The access token is malformed, expired or denied; create a new one';

interface LookUp {
  found: Promise<KnownKey | null>;
  since: number;
}

/**
 * Identifies the owner of a key, of a token, or of the session of a person. A token needs no query. The lookup of another is cached
 * for 4 s. A request joins a lookup that another request began less
 * than 500 ms ago, and begins its own otherwise.
 */
@Injectable()
export class Authenticator implements OnModuleDestroy {
  /** Keyed by the raw header: hashing and checking it again would take longer than all other steps. */
  private readonly cache = new LRUCache<string, { key: KnownKey | null }>({ ...upToEntries(CACHE_MAX_KEYS), ttl: CACHE_TTL_MS });
  private readonly lookUps = new Map<string, LookUp>();
  /** Keys without a valid MAC, each logged once. */
  private readonly unbound = new LRUCache<string, true>(upToEntries(CACHE_MAX_KEYS));
  private readonly lastUsedNotedAt = new LRUCache<string, number>(upToEntries(CACHE_MAX_KEYS));
  /** Batches of last uses to store. */
  private readonly uses: Batcher<string>;

  constructor(
    private readonly database: Database,
    private readonly binding: KeyBinding,
    private readonly tokens: AccessTokens,
    private readonly cutoffs: TokenCutoffs,
    private readonly suspended: SuspendedTenants,
    private readonly sessions: SessionDoor,
    private readonly logger: Logger,
    batchers: Batchers,
  ) {
    const limits = { maxLength: LAST_USED_BATCH, flushIntervalMs: LAST_USED_GATHER_MS };
    this.uses = batchers.create('uses_of_keys', (ids) => this.storeUses(ids), limits);
  }

  /**
   * Reads the key or token from x-api-key, or else from Authorization: Bearer (RFC 6750, 2.1), or else a session, on a route that accepts
   * those: it passes the address of this server. Returns a promise only if the key or session has to be looked up.
   * @throws UNAUTHENTICATED saying what is wrong with it; FORBIDDEN while the tenant is suspended or being deleted
   */
  authenticate(headers: IncomingHttpHeaders, sessionsAt?: { readonly http: string }): Caller | Promise<Caller> {
    const { 'x-api-key': given, authorization } = headers;
    const header = given ?? (authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]);
    const session = header === undefined && sessionsAt ? this.sessions.read(headers, sessionsAt.http) : undefined;
    if (session) return this.admitPerson(session);
    if (typeof header !== 'string' || header === '') {
      throw unauthenticated('A service access key is required, in the header x-api-key or as Authorization: Bearer');
    }
    const known = this.cache.get(header);
    if (known) return this.admitted(known.key);
    if (isAccessToken(header)) return this.admitted(this.ofToken(header));
    if (!isApiKey(header)) {
      throw unauthenticated('The key is not well-formed; it may be cut off or mistyped');
    }
    return this.lookUp(header, () => this.load(hashApiKey(header))).then((found) => this.admitted(found));
  }

  private admitPerson(session: SessionUse): Caller | Promise<Caller> {
    const name = `${session.token} ${session.tenantId}`; // no key has a space
    const known = this.cache.get(name);
    if (known) return this.admittedPerson(known.key);
    return this.lookUp(name, () => this.sessions.load(session)).then((found) => this.admittedPerson(found));
  }

  private admittedPerson(found: KnownKey | null): Caller {
    if (!found || found.expiresAtMs <= Date.now()) throw unauthenticated('Your session has ended; sign in again');
    this.suspended.check(found.caller.tenantId);
    return found.caller;
  }

  private admitted(found: KnownKey | null): Caller {
    // Sends one message for unknown, expired and revoked keys, so that a stranger cannot tell whether a key ever existed.
    if (!found || found.expiresAtMs <= Date.now()) {
      throw unauthenticated(found?.caller.token ? ENDED_TOKEN : 'The key is unknown, expired or revoked');
    }
    const { caller } = found;
    if (caller.token && this.cutoffs.hasEnded(caller.token)) throw unauthenticated(ENDED_TOKEN);
    this.suspended.check(caller.tenantId);
    this.noteUse(caller.keyId);
    return caller;
  }

  private ofToken(header: string): KnownKey {
    const token = this.tokens.read(header);
    if (!token) throw unauthenticated(ENDED_TOKEN);
    const { tenantId, keyId, scope } = token;
    const caller = { tenantId, keyId, keyPrefix: tokenName(token), scope: new Set(scope), token };
    const key = { caller, expiresAtMs: token.expiresAt };
    if (token.expiresAt > Date.now()) this.cache.set(header, { key });
    return key;
  }

  private lookUp(header: string, load: () => Promise<KnownKey | null>): Promise<KnownKey | null> {
    const since = performance.now();
    const fresh = this.lookUps.get(header);
    if (fresh && since - fresh.since < JOIN_MS) return fresh.found;
    const lookUp = { found: load(), since };
    this.lookUps.set(header, lookUp);
    const end = () => this.lookUps.get(header) === lookUp && this.lookUps.delete(header);
    lookUp.found
      // The age of the result counts from the start of the lookup.
      .then((key) => this.cache.set(header, { key }, { start: since }))
      .catch(() => undefined) // callers awaiting `found` get the error
      .finally(end);
    return lookUp.found;
  }

  private async load(hash: string): Promise<KnownKey | null> {
    const row = await keyOfHash(this.database, hash);
    if (!row || row.isRevoked) return null;
    if (!this.binding.isBound(row)) {
      this.logUnbound(row);
      return null;
    }
    const caller = { tenantId: row.tenantId, keyId: row.id, keyPrefix: row.prefix, scope: new Set(row.scope.split(' ')) };
    return { caller, expiresAtMs: row.expiresAt?.getTime() ?? Infinity };
  }

  private logUnbound({ id, prefix, tenantId }: { id: string; prefix: string; tenantId: string }): void {
    if (this.unbound.has(id)) return;
    this.unbound.set(id, true);
    this.logger.error(
      { keyId: id, keyPrefix: prefix, tenantId },
      'a key is refused: its row was changed in the database, or its secret is neither SECRET_KEY nor in SECRET_KEYS_OLD',
    );
  }

  private noteUse(id: string): void {
    const now = performance.now();
    if (now - (this.lastUsedNotedAt.get(id) ?? -Infinity) < LAST_USED_INTERVAL_MS) return;
    this.lastUsedNotedAt.set(id, now);
    void this.uses.add(id);
  }

  private async storeUses(ids: string[]): Promise<void> {
    const now = new Date();
    const stale = { OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: new Date(now.getTime() - LAST_USED_INTERVAL_MS / 2) } }] };
    try {
      const { apiKey } = this.database.acrossTenants('last uses of keys of all tenants share one statement');
      await apiKey.updateMany({ where: { id: { in: ids }, ...stale }, data: { lastUsedAt: now } });
    } catch (error) {
      this.logger.warn({ err: error, keys: ids.length }, 'the last use of keys could not be stored');
    }
  }

  /** Writes the last-used times not yet stored. Gives up if the database does not respond. */
  async onModuleDestroy(): Promise<void> {
    await Promise.race([this.uses.close(), setTimeoutAsync(STOP_PATIENCE_MS, undefined, { ref: false })]);
  }
}
