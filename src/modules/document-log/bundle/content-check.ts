import { leafHashOf } from '../leaves/hashing.js';
import { isOfHash } from '../leaves/leaf.service.js';
import type { LeafLine } from './bundle-lines.js';

export const nameOf = ({ kind, id }: LeafLine): string => `${kind} ${id}`;

/** Returns what is wrong with the shown content of a leaf, in words; undefined if it is the leaf’s, with all its values unless erased. */
export function faultOfContent(line: LeafLine, content: string, tenantId: string): string | undefined {
  if (leafHashOf(content) !== line.leafHash) return `the content of ${nameOf(line)} does not have its leafHash`;
  const given = JSON.parse(content) as Record<string, unknown>;
  const [type, logId] = line.kind === 'record' ? ['log', undefined] : ['edit', line.logId];
  if (given.type !== type || given.id !== line.id || given.tenantId !== tenantId || given.logId !== logId) {
    return `the content of ${nameOf(line)} is of another one`;
  }
  const { personal, salt, erased } = line;
  const isSalted = typeof given.personalHash === 'string';
  if (erased) return isSalted && personal === undefined && salt === undefined ? undefined : `${nameOf(line)} is not erased`;
  const personalHash = isSalted ? (given.personalHash as string) : null;
  if (isSalted !== (personal !== undefined) || !isOfHash(personal ?? '', { salt: salt ?? null, personalHash })) {
    return `the personal values of ${nameOf(line)} do not have its personalHash`;
  }
  return undefined;
}
