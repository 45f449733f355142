import { leafHashOf } from '../records/hashing.js';
import { isOfHash } from '../records/leaf.service.js';
import { ERASED } from '../records/log-row.js';
import type { LeafLine } from './bundle-lines.js';

export const nameOf = ({ kind, id }: LeafLine): string => `${kind} ${id}`;

/** Describes the fault of a leaf's content. Returns undefined if it matches the hash and has all values, unless erased. */
export function faultOfContent(line: LeafLine, content: string, tenantId: string): string | undefined {
  if (leafHashOf(content) !== line.leafHash) return `the content of ${nameOf(line)} does not match its leafHash`;
  const given = JSON.parse(content) as Record<string, unknown>;
  const [type, logId] = line.kind === 'record' ? ['log', undefined] : ['edit', line.logId];
  if (given.type !== type || given.id !== line.id || given.tenantId !== tenantId || given.logId !== logId) {
    return `the content of ${nameOf(line)} belongs to another record, edit or tenant`;
  }
  const { personal, salt, erased } = line;
  const personalHash = typeof given.personalHash === 'string' ? given.personalHash : null;
  const isEmpty = personal === undefined && salt === undefined;
  if (erased) return personalHash !== null && isEmpty ? undefined : `${nameOf(line)} is wrongly marked as erased`;
  const isErasure = line.kind === 'edit' && given.field === ERASED && personalHash === null;
  const fits = personal === undefined ? isErasure && isEmpty : isOfHash(personal, { salt: salt ?? null, personalHash });
  return fits ? undefined : `the personal values of ${nameOf(line)} do not match its personalHash`;
}
