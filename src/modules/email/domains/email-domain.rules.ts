import { z } from 'zod';
import { parseAddress } from '../../../common/base/email-address.js';
import { MAX_DOMAIN } from './limits.js';

const FORM = 'must be a domain of at least two labels, such as example.com';
/** Reserved top-level names, which are never resolved (RFC 6761, 6762, 7686, 9476), and arpa (RFC 3172). */
const RESERVED = /(?:^|\.)(?:localhost|local|invalid|onion|alt|arpa)$/;

/**
 * Checks a domain, and returns it in lowercase ASCII. Accepts public suffixes, such as co.uk: only their registry can set the verifying
 * records.
 */
export const domainRules = z.string('is required').transform((text, context): string => {
  const parsed = parseAddress(`a@${text}`);
  const domain = 'address' in parsed ? parsed.address.slice(2) : undefined;
  const fault = domain === undefined || !domain.includes('.') ? FORM : faultOf(domain);
  if (fault === undefined) return domain!;
  context.addIssue({ code: 'custom', message: fault });
  return z.NEVER;
});

function faultOf(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN) return `must have at most ${MAX_DOMAIN} characters, in ASCII`;
  if (RESERVED.test(domain)) return `must be a public domain; ${domain.split('.').at(-1)} is reserved`;
  return undefined;
}
