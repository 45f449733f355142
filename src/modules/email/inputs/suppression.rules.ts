import { z } from 'zod';
import { lowerAscii } from '../../../common/validation/letter-case.js';
import { addressRules } from './address.rules.js';
import { futureTime } from '../../../common/validation/time.js';
import { line } from './line.js';
import { MAX_LIST_BYTES } from '../models/limits.js';
import { SuppressionReason } from '../models/suppression.model.js';

const MAX_URL = 800;

export const listRules = line({ min: 1, max: MAX_LIST_BYTES })
  .refine((name) => Buffer.byteLength(name) <= MAX_LIST_BYTES, `must have at most ${MAX_LIST_BYTES} bytes in UTF-8`)
  .refine((name) => name.trim() !== '', 'must not be blank');
/** An address as suppressions have it. */
export const suppressedRules = addressRules.transform(lowerAscii);

export const suppressionRules = z.strictObject({
  address: suppressedRules,
  reason: z.enum(SuppressionReason).nullish(),
  list: listRules.nullish(),
  expiresAt: futureTime.nullish(),
});

export const suppressionsFilterRules = z.strictObject({
  address: suppressedRules.nullish(),
  reason: z.enum(SuppressionReason).nullish(),
  list: listRules.nullish(),
});

const ownUrl = line({ max: MAX_URL }).superRefine((url, context) => {
  const fault = urlFault(url);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

export const unsubscribeRules = z.strictObject({ list: listRules, url: ownUrl.nullish() });

/** The address goes into a header line (RFC 2369), between angle brackets. */
function urlFault(url: string): string | undefined {
  if (!/^[!-~]+$/.test(url) || /[<>,"\\]/.test(url)) return 'must be a URL in ASCII, with other characters in percent-encoding';
  if (!URL.canParse(url) || !/^https:\/\/[^/]/i.test(url)) return 'must begin with https://';
  const { username, password } = new URL(url);
  return username || password ? 'must not have a user name or a password' : undefined;
}

const IGNORABLE = [SuppressionReason.UNSUBSCRIBED, SuppressionReason.MANUAL] as const;

export const ignoredRules = z
  .array(z.enum(SuppressionReason))
  .max(IGNORABLE.length, `must have at most ${IGNORABLE.length} reasons`)
  .superRefine((reasons, context) => {
    const at = reasons.findIndex((reason) => !(IGNORABLE as readonly string[]).includes(reason));
    if (at >= 0)
      context.addIssue({
        code: 'custom',
        path: [at],
        message: `must be ${IGNORABLE.join(' or ')}; ${reasons[at]} always counts: delete the suppression if it is wrong`,
      });
  });
