import { z } from 'zod';
import { parseAddress } from '../../../common/validation/email-address.js';
import { BREAK, ONE_LINE } from './line.js';

/** Normalizes an address, so that equal addresses are equal strings. */
export const addressRules = z.string('is required').transform((value, context): string => {
  const parsed = parseAddress(value);
  if ('address' in parsed) return parsed.address;
  context.addIssue({ code: 'custom', message: BREAK.test(value) ? ONE_LINE : parsed.fault });
  return z.NEVER;
});
