import { leafHashOf } from '../records/hashing.js';
import { isOfHash } from '../records/leaf.service.js';
import { ERASED } from '../records/log-row.js';
import type { LeafLine } from './bundle-lines.js';

export const nameOf = ({ kind, id }: LeafLine): string => `${kind} ${id}`;

/** Describes the fault of a leaf's content; undefined if it has the leaf's hash and, unless they were erased, all values. */
export function faultOfContent(line: LeafLine, content: string, tenantId: string): string | undefined {
  if (leafHashOf(content) !== line.leafHash) return `the content of ${nameOf(line)} does not have its leafHash`;
  const given = JSON.parse(content) as Record<string, unknown>;
  const [type, logId] = line.kind === 'record' ? ['log', undefined] : ['edit', line.logId];
  if (given.type !== type || given.id !== line.id || given.tenantId !== tenantId || given.logId !== logId) {
    return `the content of ${nameOf(line)} is of another one`;
  }
  const { personal, salt, erased } = line;
  const personalHash = typeof given.personalHash === 'string' ? given.personalHash : null;
  const isEmpty = personal === undefined && salt === undefined;
  if (erased) return personalHash !== null && isEmpty ? undefined : `${nameOf(line)} is not erased`;
  const isErasure = line.kind === 'edit' && given.field === ERASED && personalHash === null;
  const fits = personal === undefined ? isErasure && isEmpty : isOfHash(personal, { salt: salt ?? null, personalHash });
  return fits ? undefined : `the personal values of ${nameOf(line)} do not have its personalHash`;
}
