import { parseAddress } from './email-address.js';

const MAX_ADDRESS = 320;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Look-alikes of a dot that NFKC does not cover. */
const DOTS = /[\u3002\uff61\u2024]/g;
const BEFORE_AT = /[^\s@<>()[\]"',;:]+$/u;
const AFTER_AT = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*/u;

/**
 * Returns, in lower case, each part of a name that looks like an email address, even with full-width or invisible characters in it
 * or blanks around its @.
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
    if (!isApart || domain.includes('.')) found.push(`${local}@${domain}`); // "Ann @ Home" is not an address
  }
  return found;
}

/** Validates a display name: showing another address would deceive its reader. Returns the error message, or undefined. */
export function displayNameFault(name: string, address: string): string | undefined {
  const other = addressesIn(name).find((found) => canonical(found) !== address.toLowerCase());
  if (other === undefined) return undefined;
  return `must not contain an address other than its own, ${address}; contains ${other.slice(0, MAX_ADDRESS).toWellFormed()}`;
}

function canonical(found: string): string {
  const parsed = parseAddress(found);
  return 'address' in parsed ? parsed.address : found;
}
