import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { NEEDED } from './domain-keys.js';
import { MAX_ERROR } from '../models/limits.js';
import type { MAIL_EVENTS } from '../models/events.js';
import { DnsLookups } from './dns-lookups.js';
import { type FoundRecord, keyOf, type RecordSettings, recordsOf, type RecordToSet, toDomain } from './domain-records.js';
import type { EmailDomainRow } from './email-domain-row.js';
import { DnsRecordPurpose, DnsRecordState } from './email-domain.model.js';
import { FAIL_AFTER_MS, OVERLAP_MS } from './limits.js';
import { nextCheckAt } from './next-check.js';
import { judge } from './record-judge.js';

const SERVICE = 'email';
const { FOUND, MISSING, DIFFERENT } = DnsRecordState;

type Judged = RecordToSet & FoundRecord;
type KeysOf = NonNullable<RecordToSet['key']>['of'];
type Change = Partial<EmailDomainRow>;

/** Looks up the records of domains, and updates the status and keys accordingly. */
@Injectable()
export class DomainChecksService {
  readonly settings: RecordSettings;
  private readonly servers?: string[];

  constructor(
    private readonly database: Database,
    private readonly events: EventOutbox,
    config: Config,
  ) {
    const { emailDomains, returnPathDomain } = config;
    this.settings = { spf: emailDomains.spf, returnPathDomain };
    this.servers = emailDomains.dnsServers;
  }

  /** Returns the domain after a check; undefined if it was deleted. Keeps concurrent changes by another check or a rotation. */
  async check(row: EmailDomainRow): Promise<EmailDomainRow | undefined> {
    const judged = await this.lookUp(row);
    const now = new Date();
    const change = changeOf(row, judged, now);
    const after = { ...row, ...change };
    const type = eventOf(row, after);
    const { id, tenantId, checkedAt, selector, nextSelector } = row;
    const own = this.database.of(tenantId);
    return own.$transaction(async (transaction) => {
      const where = { id, checkedAt, selector, nextSelector };
      const data = { ...change, dueAt: nextCheckAt(after, now) };
      const [changed] = await transaction.emailDomain.updateManyAndReturn({ where, data });
      if (!changed) return (await transaction.emailDomain.findFirst({ where: { id } })) ?? undefined;
      if (type) {
        const event = { tenantId, service: SERVICE, type, subject: row.domain, data: toDomain(changed, this.settings) } as const;
        await this.events.store(transaction.acrossTenants('an event brings its tenant'), [event]);
      }
      return changed;
    });
  }

  private async lookUp(row: EmailDomainRow): Promise<Judged[]> {
    const lookups = new DnsLookups(this.servers);
    try {
      const records = recordsOf(row, this.settings);
      return await Promise.all(records.map(async (record) => ({ ...record, ...(await judge(record, lookups)) })));
    } finally {
      lookups.close();
    }
  }
}

function changeOf(row: EmailDomainRow, judged: Judged[], now: Date): Change {
  const needed = judged.filter(({ purpose, key }) => purpose === DnsRecordPurpose.OWNERSHIP || isNeeded(key, 'present'));
  const isFound = needed.every(({ state }) => state === FOUND);
  const isLost = needed.some(({ state }) => state === MISSING || state === DIFFERENT);
  const returnPath = judged.find(({ purpose }) => purpose === DnsRecordPurpose.RETURN_PATH);
  const found = Object.fromEntries(judged.map((one) => [keyOf(one), { state: one.state, found: one.found }]));
  return {
    checkedAt: now,
    found: JSON.stringify(found),
    lastError: errorOf(needed),
    hasReturnPath: isThere(returnPath, row.hasReturnPath),
    hasEd25519: isThere(ed25519Of(judged, 'present'), row.hasEd25519),
    ...statusAfter(row, { isFound, isLost }, now),
    ...rotationAfter(row, judged, now),
  };
}

/** Returns the status changes after a check. A failed lookup changes nothing. */
function statusAfter(row: EmailDomainRow, { isFound, isLost }: { isFound: boolean; isLost: boolean }, now: Date): Change {
  if (isFound) {
    return { failingSince: null, ...(row.status !== 'VERIFIED' && { status: 'VERIFIED', verifiedAt: now }) };
  }
  if (row.status !== 'VERIFIED' || !isLost) return {};
  const failingSince = row.failingSince ?? now;
  const isOver = now.getTime() - failingSince.getTime() >= FAIL_AFTER_MS;
  return { failingSince, ...(isOver && { status: 'FAILED' }) };
}

/**
 * Returns the key changes after a check. New keys start signing once their records are found; old ones stay listed for mails in transit.
 */
function rotationAfter(row: EmailDomainRow, judged: Judged[], now: Date): Change {
  const next = judged.filter(({ key }) => isNeeded(key, 'next'));
  if (row.nextSelector === null || !next.every(({ state }) => state === FOUND)) return {};
  return {
    selector: row.nextSelector,
    publicKeys: row.nextPublicKeys!,
    privateKeys: row.nextPrivateKeys!,
    hasEd25519: isThere(ed25519Of(judged, 'next'), false),
    nextSelector: null,
    nextPublicKeys: null,
    nextPrivateKeys: null,
    previousSelector: row.selector,
    previousPublicKeys: row.publicKeys,
    previousUntil: new Date(now.getTime() + OVERLAP_MS),
  };
}

const WHY = {
  [MISSING]: 'was not found',
  [DIFFERENT]: 'has another value',
  [DnsRecordState.UNKNOWN]: 'could not be looked up',
} as const;

function errorOf(needed: Judged[]): string | null {
  const faults = needed.flatMap(({ purpose, name, type, state }) =>
    state === FOUND ? [] : [`the ${type} record of ${purpose} at ${name} ${WHY[state]}`],
  );
  return faults.length === 0 ? null : faults.join('; ').slice(0, MAX_ERROR);
}

/** Returns true for a mandatory key. */
const isNeeded = (key: Judged['key'], of: KeysOf): boolean => key?.of === of && key.algorithm === NEEDED;

const ed25519Of = (judged: Judged[], of: KeysOf): Judged | undefined =>
  judged.find(({ key }) => key?.of === of && key.algorithm === 'ed25519');

/** Returns true if the record exists. Returns `before` after a failed lookup. */
const isThere = (judged: Judged | undefined, before: boolean): boolean =>
  judged?.state === DnsRecordState.UNKNOWN ? before : judged?.state === FOUND;

function eventOf(before: EmailDomainRow, after: EmailDomainRow): keyof typeof MAIL_EVENTS | undefined {
  if (before.status === after.status) return undefined;
  return after.status === 'VERIFIED' ? 'DOMAIN_VERIFIED' : 'DOMAIN_FAILED';
}
