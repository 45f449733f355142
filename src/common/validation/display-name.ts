import { parseAddress } from './email-address.js';

const MAX_ADDRESS = 320;
/** What readers do not see, and what looks like a dot or an @ to them (NFKC has the rest of it). */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const DOTS = /[\u3002\uff61\u2024]/g;
const BEFORE_AT = /[^\s@<>()[\]"',;:]+$/u;
const AFTER_AT = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*/u;

/**
 * What a reader would take for an email address within a name, in lower case; also with full-width or invisible characters in
 * it, or blanks around its @.
 */
export function addressesIn(name: string): string[] {
  const seen = name.replaceAll(DOTS, '.').normalize('NFKC').replaceAll(INVISIBLE, '').toLowerCase();
  const found: string[] = [];
  for (let at = seen.indexOf('@'); at !== -1; at = seen.indexOf('@', at + 1)) {
    const before = seen.slice(Math.max(0, at - MAX_ADDRESS), at);
    const after = seen.slice(at + 1, at + 1 + MAX_ADDRESS);
    const local = BEFORE_AT.exec(before.trimEnd())?.[0];
    const domain = AFTER_AT.exec(after.trimStart())?.[0];
    if (local === undefined || domain === undefined) continue;
    const isApart = /\s$/.test(before) || /^\s/.test(after);
    if (!isApart || domain.includes('.')) found.push(`${local}@${domain}`); // "Ann @ Home" is none
  }
  return found;
}

/** What is wrong with the name of an address, or nothing: one that shows another address would deceive its reader. */
export function displayNameFault(name: string, address: string): string | undefined {
  const other = addressesIn(name).find((one) => canonical(one) !== address.toLowerCase());
  if (other === undefined) return undefined;
  return `must not contain an address other than ${address}, which it stands with; contains ${other.slice(0, MAX_ADDRESS).toWellFormed()}`;
}

function canonical(found: string): string {
  const parsed = parseAddress(found);
  return 'address' in parsed ? parsed.address : found;
}
