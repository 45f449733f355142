import { z } from 'zod';
import { MAX_RETENTION_DAYS } from '../../../common/config/retention-periods.js';
import { parseAddress } from '../../../common/validation/email-address.js';
import { MAX_NAME, text } from '../../../common/validation/text.js';
import { MAX_ENTRIES } from '../models/key.model.js';
import { MAX_LIMITS, MAX_RETAINED, RetainedKind, TenantLimitName } from '../models/tenant.model.js';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../models/limits.js';

const LIMIT = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, or null`;
const DAYS = `must be a whole number from 1 to ${MAX_RETENTION_DAYS}, or null`;
const OVERLAP = `must be from 0 to ${MAX_OVERLAP_SECONDS} seconds`;

export const limitsRules = z
  .array(
    z.strictObject({
      name: z.enum(TenantLimitName),
      limit: z.number().int(LIMIT).min(0, LIMIT).max(Number.MAX_SAFE_INTEGER, LIMIT).nullish(),
    }),
  )
  .min(1, 'must have at least one limit')
  .max(MAX_LIMITS, `must have each limit once, so at most ${MAX_LIMITS}`)
  .refine((limits) => new Set(limits.map(({ name }) => name)).size === limits.length, 'must have each limit at most once');

export const retentionRules = z
  .array(
    z.strictObject({
      kind: z.enum(RetainedKind),
      days: z.number().int(DAYS).min(1, DAYS).max(MAX_RETENTION_DAYS, DAYS).nullish(),
    }),
  )
  .min(1, 'must have at least one period')
  .max(MAX_RETAINED, `must have each kind once, so at most ${MAX_RETAINED}`)
  .refine((periods) => new Set(periods.map(({ kind }) => kind)).size === periods.length, 'must have each kind at most once');

/** Entries contain no spaces, since they are stored separated by spaces. */
const entry = text({ min: 1, max: MAX_NAME }).refine((value) => !/\s/.test(value), 'must be one entry, without spaces');

export const createKeyRules = z.strictObject({
  tenantId: text({ max: MAX_NAME }),
  name: z.string().nullish(),
  scope: z
    .array(entry)
    .min(1, 'must have at least one entry, such as file-management-api:query:*')
    .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`),
  expiresIn: z.number().nullish(),
});

export const rotateKeyRules = z.strictObject({
  id: text({ max: MAX_NAME }),
  overlap: z
    .number()
    .min(0, OVERLAP)
    .max(MAX_OVERLAP_SECONDS, OVERLAP)
    .nullish()
    .transform((seconds) => seconds ?? DEFAULT_OVERLAP_SECONDS),
  expiresIn: z.number().nullish(),
});

const name = text({ min: 1, max: MAX_NAME })
  .nullish()
  .transform((value) => value ?? null);
const emailAddress = name.superRefine((value, context) => {
  const parsed = value === null ? undefined : parseAddress(value);
  if (parsed && 'fault' in parsed) context.addIssue({ code: 'custom', message: parsed.fault });
});

export const erasePersonRules = z
  .strictObject({ tenantId: text({ max: MAX_NAME }), authorId: name, recipient: name, emailAddress })
  .refine(
    ({ authorId, recipient, emailAddress }) => (authorId ?? recipient ?? emailAddress) !== null,
    'must have at least one of authorId, recipient and emailAddress',
  );
