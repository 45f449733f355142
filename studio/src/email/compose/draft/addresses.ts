import type { Tokens } from '../../../ui/token-field';
import { written } from '../../words';

/** A recipient in the form. */
export interface Named {
  address: string;
  name: string | null;
}

const ONE = /(?:"((?:[^"\\]|\\.)*)"|([^<>,;\n"]*?))\s*<\s*([^<>\s]+@[^<>\s]+)\s*>|([^\s<>,;"]+@[^\s<>,;"]+)/g;

/**
 * Parses addresses from typed or pasted text: lines, or lists with commas or semicolons, with names as mail programs write them. Also
 * returns the rest that is not an address.
 */
function readAddresses(text: string): { found: Named[]; rest: string } {
  const found: Named[] = [];
  const rest = text.replaceAll(ONE, (_, quoted?: string, plain?: string, inBrackets?: string, bare?: string) => {
    const name = (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '').trim();
    found.push({ address: (inBrackets ?? bare)!, name: name || null });
    return '';
  });
  const left = rest.split(/[,;\n]/).map((part) => part.replaceAll(/\s+/g, ' ').trim());
  return { found, rest: left.filter(Boolean).join(', ') };
}

/** Addresses, with names or without. */
export const ADDRESSES: Tokens<Named> = {
  read: readAddresses,
  keyOf: ({ address }) => address.toLowerCase(),
  wordOf: ({ name, address }) => name ?? address,
  titleOf: written,
  whole: /^[^\s<>"@]+@[^\s<>"@]+$/,
  wanted: 'an email address. Use the form ann@example.com.',
  inputMode: 'email',
};
