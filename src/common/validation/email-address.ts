import { domainToASCII } from 'node:url';

const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LOCAL = new RegExp(`^${ATOM}(\\.${ATOM})*$`);
/** Before it is converted, since the converter reads percent signs, full-width dots and more. */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)*$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const FORM = 'must be an address such as ann@example.com';

export type ParsedAddress = { address: string } | { fault: string };

/**
 * Reads one address (RFC 5321, without quoted local parts and address literals) and brings it into the form in which equal
 * ones are equal: the part before the @ as it is, the domain in lower case and as mail servers know it (punycode).
 */
export function parseAddress(text: string): ParsedAddress {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || text.length > 4 * MAX_ADDRESS) return { fault: FORM };
  if (!LOCAL.test(local))
    return { fault: `${FORM}; before the @ only ASCII letters, digits, dots and !#$%&'*+/=?^_\`{|}~- can stand` };
  if (local.length > MAX_LOCAL) return { fault: `must have at most ${MAX_LOCAL} characters before the @` };
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return { fault: `${FORM}; after the @ must be the name of a domain` };
  const address = `${local}@${domain}`;
  return address.length > MAX_ADDRESS
    ? { fault: `must have at most ${MAX_ADDRESS} characters, with the domain in ASCII` }
    : { address };
}

/**
 * What most servers deliver to the same reader: the letter case of the part before the @ and a `+tag` do not tell mailboxes
 * apart. For counting only; mail goes to the address as it is.
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
