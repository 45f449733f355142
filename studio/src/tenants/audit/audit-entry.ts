import { type DamagedRecord, isDamaged, shownValue, type WholeRecord } from '../../log/data/log-record';
import { formatBytes, formatCount, formatTime } from '../../ui/format';
import { LIMIT_WORDS } from '../../ui/usage';
import { describeScope } from '../keys/scope-words';

/** An action of an operator: a record for each changed attribute. */
export interface AuditEntry {
  /** Id of its first record. */
  id: string;
  records: readonly [WholeRecord, ...WholeRecord[]];
}

export type Listed = AuditEntry | DamagedRecord;

/** Names of recorded actions. */
export const ACTIONS: Readonly<Record<string, string>> = {
  createTenant: 'Created tenant',
  setTenantParent: 'Changed parent',
  setTenantLimits: 'Changed limits',
  setTenantRetention: 'Changed retention',
  suspendTenant: 'Suspended tenant',
  resumeTenant: 'Resumed tenant',
  deleteTenant: 'Started deleting tenant',
  endTenantDeletion: 'Deleted tenant',
  createKey: 'Created key',
  updateKey: 'Changed key',
  rotateKey: 'Rotated key',
  revokeKey: 'Revoked key',
  denyAccess: 'Ended access tokens',
  revokeSession: 'Ended session',
  erasePerson: 'Started erasing person',
  endPersonErasure: 'Erased person',
};

export const actionWord = ({ action }: Pick<WholeRecord, 'action'>): string => ACTIONS[action ?? ''] ?? action ?? 'Action';

/** Joins adjacent records of one action. */
export function entriesOf(records: readonly (WholeRecord | DamagedRecord)[]): Listed[] {
  const entries: (DamagedRecord | { id: string; records: [WholeRecord, ...WholeRecord[]] })[] = [];
  for (const record of records) {
    const last = entries.at(-1);
    if (isDamaged(record)) entries.push(record);
    else if (last && 'records' in last && isSameAction(last.records[0], record)) last.records.push(record);
    else entries.push({ id: record.id, records: [record] });
  }
  return entries;
}

const isSameAction = (one: WholeRecord, other: WholeRecord): boolean =>
  (['dateTime', 'documentId', 'action', 'authorId'] as const).every((name) => one[name] === other[name]);

const WORDS: Readonly<Record<string, string>> = {
  ...LIMIT_WORDS,
  mailsPerDay: 'Emails a day',
  waitingEvents: 'Waiting events',
  name: 'Name',
  state: 'Status',
  parentId: 'Parent',
  tenantId: 'Tenant ID',
  prefix: 'Key',
  scope: 'Permissions',
  expiresAt: 'Expires',
  revokedAt: 'Revoked',
  'tokens of the key ended': 'Tokens of the key created until',
  'tokens for a recipient ended': 'Tokens for a recipient created until',
};
const STATES: Readonly<Record<string, string>> = { ACTIVE: 'Active', SUSPENDED: 'Suspended', DELETING: 'Being deleted' };

const OF_ERASURES: Readonly<Record<string, string>> = {
  RUNNING: 'Running',
  DONE: 'Done',
  authorId: 'author ID',
  emailAddress: 'email address',
};

export interface Change {
  word: string;
  before: string | undefined;
  after: string | undefined;
}

/** Describes a change. */
export function changeOf({ attributeId, attributeOldValue, attributeNewValue }: WholeRecord): Change {
  const name = attributeId ?? '';
  const [first] = name.split(' ', 1);
  const word =
    first === 'erasure' ? 'Erasure' : first === 'retention' ? `Keep ${name.replace('retention of ', '')}` : WORDS[name];
  const none = isSetting(name) ? 'Server default' : undefined;
  const said = (value: string | undefined) => (value === undefined ? none : valueInWords(name, value));
  return { word: word ?? name, before: said(shownValue(attributeOldValue)), after: said(shownValue(attributeNewValue)) };
}

function valueInWords(name: string, value: string): string {
  if (name === 'scope') return describeScope(value.split(' '));
  if (name.startsWith('erasure ')) return value.replaceAll(/RUNNING|DONE|authorId|emailAddress/g, (word) => OF_ERASURES[word]!);
  if (name === 'state') return STATES[value] ?? value;
  if (name === 'expiresAt' || name === 'revokedAt' || name.startsWith('tokens ')) return formatTime(value);
  if (name in LIMIT_WORDS) {
    const number = Number(value);
    if (value === 'unlimited') return 'No limit';
    return name === 'storedBytes' ? formatBytes(number) : formatCount(number);
  }
  return value;
}

/** A setting of a tenant; that of the server if there is none. */
const isSetting = (name: string): boolean => name in LIMIT_WORDS || name.startsWith('retention ');

/** Returns the changes in one line; empty for a creation, which its name describes. */
export function summaryOf({ records }: AuditEntry): string {
  const isNew = records.some(
    ({ attributeId, attributeOldValue }) => ['state', 'prefix'].includes(attributeId ?? '') && !attributeOldValue,
  );
  if (isNew) return '';
  return records
    .map(changeOf)
    .map(({ word, before, after }) => `${word}: ${before ? `${before} → ${after ?? 'none'}` : after}`)
    .join(', ');
}

/** Returns the name in the comment of a key's record, such as `Ann (psk_EHme2wRc)`. */
export const keyNameIn = (comment: string | null | undefined): string | undefined =>
  /^(.+) \(psk_\w+\)$/s.exec(comment ?? '')?.[1];

/** Returns who did it: a person, an operator's key by its prefix, the command line or the server. */
export function authorOf({ author, authorId }: WholeRecord): string {
  if (authorId === 'command-line') return 'Command line';
  if (authorId === 'server') return 'Server';
  return author?.name?.startsWith('psk_') ? `${author.name}…` : (author?.name ?? authorId ?? 'Unknown');
}
