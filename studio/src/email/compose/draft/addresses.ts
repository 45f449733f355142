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
export function readAddresses(text: string): { found: Named[]; rest: string } {
  const found: Named[] = [];
  const rest = text.replaceAll(ONE, (_, quoted?: string, plain?: string, inBrackets?: string, bare?: string) => {
    const name = (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '').trim();
    found.push({ address: (inBrackets ?? bare)!, name: name || null });
    return '';
  });
  const left = rest.split(/[,;\n]/).map((part) => part.replaceAll(/\s+/g, ' ').trim());
  return { found, rest: left.filter(Boolean).join(', ') };
}

/** Adds recipients that are not in the list. */
export function joined(known: readonly Named[], added: readonly Named[]): Named[] {
  const all = [...known];
  for (const one of added) if (!all.some((other) => isSame(one, other))) all.push(one);
  return all;
}

export const isSame = (one: Named, other: Named): boolean => one.address.toLowerCase() === other.address.toLowerCase();
