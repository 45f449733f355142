import { z } from 'zod';
import { MAX_KEY_NAME, MAX_KEY_SECONDS } from '../../common/auth/api-key.js';
import { MAX_RETENTION_DAYS } from '../../common/config/retention-periods.js';
import { asFloat, type Given, id, input } from '../../common/graphql/types/input.js';
import { MAX_TENANT_NAME } from '../../common/tenants/tenant-names.js';
import { asCount, asDays } from '../../common/base/amounts.js';
import { parseAddress } from '../../common/base/email-address.js';
import { MAX_NAME, text, withFault } from '../../common/base/text.js';
import { MAX_ENTRIES } from './key.model.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';
import { MAX_LIMITS, MAX_RETAINED, RetainedKind, TenantLimitName } from './tenant.model.js';

const registerIn = AdminSchema;
/** Maximum time for which a replaced key stays valid. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;
const DEFAULT_OVERLAP_SECONDS = 86_400;

const LIMIT = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, or null`;
const DAYS = `must be a whole number from 1 to ${MAX_RETENTION_DAYS}, or null`;
const OVERLAP = `must be from 0 to ${MAX_OVERLAP_SECONDS} seconds`;

const anyId = id(text({ max: MAX_NAME }));

export const CreateTenantInput = input(
  'CreateTenantInput',
  { registerIn, description: 'Tenant to create.' },
  {
    name: z
      .string()
      .describe(
        `Unique, permanent name: 1 to ${asCount(MAX_TENANT_NAME)} characters, no control characters. Appears in mails that ask to ` +
          'verify an address.',
      ),
    parentId: anyId.nullish().describe('Id of its parent, as in setTenantParent; none by default.'),
  },
);
export type CreateTenantInput = Given<typeof CreateTenantInput>;

export const TenantLimitInput = input(
  'TenantLimitInput',
  { registerIn, description: 'Limit to set.' },
  {
    name: z.enum(TenantLimitName).describe('Limited resource.'),
    limit: asFloat(z.int(LIMIT).min(0, LIMIT))
      .nullish()
      .describe(`Whole number from 1 to ${asCount(Number.MAX_SAFE_INTEGER)}; 0 for no limit; null for the server's setting.`),
  },
);
export type TenantLimitInput = Given<typeof TenantLimitInput>;

export const limitsRules = z
  .array(TenantLimitInput.rules)
  .min(1, 'must have at least one limit')
  .max(MAX_LIMITS, `must have at most ${MAX_LIMITS} limits, each once`)
  .refine((limits) => new Set(limits.map(({ name }) => name)).size === limits.length, 'repeats a limit; send each once');

export const TenantRetentionInput = input(
  'TenantRetentionInput',
  { registerIn, description: 'Retention period to set.' },
  {
    kind: z.enum(RetainedKind).describe('Kind of data.'),
    days: z
      .int(DAYS)
      .min(1, DAYS)
      .max(MAX_RETENTION_DAYS, DAYS)
      .nullish()
      .describe(`Days, 1 to ${asCount(MAX_RETENTION_DAYS)}; null for the server's setting.`),
  },
);
export type TenantRetentionInput = Given<typeof TenantRetentionInput>;

export const retentionRules = z
  .array(TenantRetentionInput.rules)
  .min(1, 'must have at least one period')
  .max(MAX_RETAINED, `must have at most ${MAX_RETAINED} periods, each kind once`)
  .refine((periods) => new Set(periods.map(({ kind }) => kind)).size === periods.length, 'repeats a kind; send each once');

/** Scope entry, without spaces, which separate stored entries. */
const entry = text({ min: 1, max: MAX_NAME }).refine((value) => !/\s/.test(value), 'must be one entry, without spaces');

const entries = z
  .array(entry)
  .min(1, 'must have at least one entry, such as file-management-api:query:*')
  .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`);

export const CreateKeyInput = input(
  'CreateKeyInput',
  { registerIn, description: 'Key to create.' },
  {
    tenantId: anyId.describe('Id of its tenant.'),
    name: z
      .string()
      .nullish()
      .describe(`Display name, 1 to ${asCount(MAX_KEY_NAME)} characters, no control characters; need not be unique.`),
    scope: entries.describe(
      `Scope of 1 to ${asCount(MAX_ENTRIES)} entries: <service>-api:query:<name> or <service>-api:mutation:<name>, with * for all names. ` +
        'Entries of admin-api are rejected: create such keys on the command line.',
    ),
    expiresIn: z
      .int()
      .nullish()
      .describe(`Lifetime in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; by default, the key never expires.`),
  },
);
export type CreateKeyInput = Given<typeof CreateKeyInput>;

export const UpdateKeyInput = input(
  'UpdateKeyInput',
  { registerIn, description: 'New values of a key. Omitted ones are unchanged.' },
  {
    name: z
      .string()
      .nullish()
      .describe(`Display name, 1 to ${asCount(MAX_KEY_NAME)} characters, no control characters; null removes it.`),
    scope: entries
      .nullish()
      .transform((given) => given ?? undefined)
      .describe(`Scope, as in createKey, 1 to ${asCount(MAX_ENTRIES)} entries; null leaves it unchanged.`),
    expiresIn: z
      .int()
      .nullish()
      .describe(`Lifetime in seconds from now, 1 to ${asCount(MAX_KEY_SECONDS)}; null for a key that never expires.`),
  },
);
export type UpdateKeyInput = Given<typeof UpdateKeyInput>;

export const RotateKeyInput = input(
  'RotateKeyInput',
  { registerIn, description: 'Rotation of a key.' },
  {
    id: anyId.describe('Id of the key to replace.'),
    overlap: z
      .int()
      .min(0, OVERLAP)
      .max(MAX_OVERLAP_SECONDS, OVERLAP)
      .nullish()
      .transform((seconds) => seconds ?? DEFAULT_OVERLAP_SECONDS)
      .describe(
        `Seconds for which the old key stays valid, 0 to ${asCount(MAX_OVERLAP_SECONDS)} ` +
          `(${asDays(1_000 * MAX_OVERLAP_SECONDS)} days); ${asCount(DEFAULT_OVERLAP_SECONDS)} by default.`,
      ),
    expiresIn: z
      .int()
      .nullish()
      .describe(
        `Lifetime of the new key in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; by default, it expires when the old one would have.`,
      ),
  },
);
export type RotateKeyInput = Given<typeof RotateKeyInput>;

const identifier = text({ min: 1, max: MAX_NAME });
function addressFault(value: string): string | undefined {
  const parsed = parseAddress(value);
  return 'fault' in parsed ? parsed.fault : undefined;
}
const orNull = (value: string | null | undefined) => value ?? null;

export const ErasePersonInput = input(
  'ErasePersonInput',
  { registerIn, description: 'Person to erase, identified by at least one of authorId, recipient and emailAddress.' },
  {
    tenantId: anyId.describe('Id of the tenant with data of the person.'),
    authorId: id(identifier)
      .nullish()
      .transform(orNull)
      .describe(
        `Id of the person as the author of log records, files, templates and stylesheets, 1 to ${asCount(MAX_NAME)} characters.`,
      ),
    recipient: identifier
      .nullish()
      .transform(orNull)
      .describe(`Name of the person as a recipient of messages, 1 to ${asCount(MAX_NAME)} characters.`),
    emailAddress: withFault(identifier, addressFault)
      .nullish()
      .transform(orNull)
      .describe('Email address of the person in mails, senders and authors, such as ann@example.com, in any letter case.'),
  },
  (rules) =>
    rules.refine(
      ({ authorId, recipient, emailAddress }) => (authorId ?? recipient ?? emailAddress) !== null,
      'must have at least one of authorId, recipient and emailAddress',
    ),
);
export type ErasePersonInput = Given<typeof ErasePersonInput>;
