import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { BREAK, lowerAscii, ONE_LINE } from './text.js';

export const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL = new RegExp(`^${ATOM}(\\.${ATOM})*$`);
/** Pattern checked before the conversion, since the converter accepts percent signs, full-width dots and more. */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)*$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const FORM = 'must be an address such as ann@example.com';

export type ParsedAddress = { address: string } | { fault: string };

/**
 * Parses one address (RFC 5321, without quoted local parts and address literals) into its canonical form: the local part
 * unchanged, the domain in lower-case punycode.
 */
export function parseAddress(text: string): ParsedAddress {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || text.length > 4 * MAX_ADDRESS) return { fault: FORM };
  if (!LOCAL.test(local))
    return { fault: `${FORM}; only ASCII letters, digits, dots and !#$%&'*+/=?^_\`{|}~- are allowed before the @` };
  if (local.length > MAX_LOCAL) return { fault: `must have at most ${MAX_LOCAL} characters before the @` };
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return { fault: `${FORM}; the part after the @ must be a domain name` };
  const address = `${local}@${domain}`;
  return address.length > MAX_ADDRESS
    ? { fault: `must have at most ${MAX_ADDRESS} characters, with the domain in ASCII` }
    : { address };
}

/** Normalizes an address, so that equal addresses are equal strings. */
export const addressRules = z.string('is required').transform((value, context): string => {
  const parsed = parseAddress(value);
  if ('address' in parsed) return parsed.address;
  context.addIssue({ code: 'custom', message: BREAK.test(value) ? ONE_LINE : parsed.fault });
  return z.NEVER;
});

/** Returns the form in which an erasure compares addresses: as stored, with ASCII letters in lower case. */
export function storedAddress(emailAddress: string): string {
  const parsed = parseAddress(emailAddress);
  return lowerAscii('address' in parsed ? parsed.address : emailAddress);
}

/**
 * Returns the mailbox of an address as most servers see it: without letter case and without a `+tag`. For counting only; mail
 * goes to the address as given.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const tag = address.indexOf('+');
  return (address.slice(0, tag > 0 && tag < at ? tag : at) + address.slice(at)).toLowerCase();
}

function asciiDomain(text: string): string | undefined {
  if (!DOMAIN.test(text)) return undefined;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  const isName = labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
  return isName ? domain : undefined;
}
