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
/** How long a replaced key can stay valid beside the new one. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;
const DEFAULT_OVERLAP_SECONDS = 86_400;

const LIMIT = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, or null`;
const DAYS = `must be a whole number from 1 to ${MAX_RETENTION_DAYS}, or null`;
const OVERLAP = `must be from 0 to ${MAX_OVERLAP_SECONDS} seconds`;

const anyId = id(text({ max: MAX_NAME }));

export const CreateTenantInput = input(
  'CreateTenantInput',
  { registerIn, description: 'A new tenant.' },
  {
    name: z
      .string()
      .describe(
        `1 to ${asCount(MAX_TENANT_NAME)} characters, no control characters, unique, and permanent. Mails that ask to verify an ` +
          'address name it.',
      ),
  },
);
export type CreateTenantInput = Given<typeof CreateTenantInput>;

export const TenantLimitInput = input(
  'TenantLimitInput',
  { registerIn, description: 'A limit to set.' },
  {
    name: z.enum(TenantLimitName).describe('What to limit.'),
    limit: asFloat(z.int(LIMIT).min(0, LIMIT))
      .nullish()
      .describe(`A whole number from 1 to ${asCount(Number.MAX_SAFE_INTEGER)}; 0: no limit; null: the setting of the server.`),
  },
);
export type TenantLimitInput = Given<typeof TenantLimitInput>;

export const limitsRules = z
  .array(TenantLimitInput.rules)
  .min(1, 'must have at least one limit')
  .max(MAX_LIMITS, `must have each limit once, so at most ${MAX_LIMITS}`)
  .refine((limits) => new Set(limits.map(({ name }) => name)).size === limits.length, 'must have each limit at most once');

export const TenantRetentionInput = input(
  'TenantRetentionInput',
  { registerIn, description: 'A period to set.' },
  {
    kind: z.enum(RetainedKind).describe('What to keep.'),
    days: z
      .int(DAYS)
      .min(1, DAYS)
      .max(MAX_RETENTION_DAYS, DAYS)
      .nullish()
      .describe(`Days, 1 to ${asCount(MAX_RETENTION_DAYS)}; null: the setting of the server.`),
  },
);
export type TenantRetentionInput = Given<typeof TenantRetentionInput>;

export const retentionRules = z
  .array(TenantRetentionInput.rules)
  .min(1, 'must have at least one period')
  .max(MAX_RETAINED, `must have each kind once, so at most ${MAX_RETAINED}`)
  .refine((periods) => new Set(periods.map(({ kind }) => kind)).size === periods.length, 'must have each kind at most once');

/** Entries contain no spaces, since they are stored separated by spaces. */
const entry = text({ min: 1, max: MAX_NAME }).refine((value) => !/\s/.test(value), 'must be one entry, without spaces');

export const CreateKeyInput = input(
  'CreateKeyInput',
  { registerIn, description: 'A new key.' },
  {
    tenantId: anyId.describe('Id of its tenant.'),
    name: z
      .string()
      .nullish()
      .describe(`What people call it: 1 to ${asCount(MAX_KEY_NAME)} characters, no control characters; need not be unique.`),
    scope: z
      .array(entry)
      .min(1, 'must have at least one entry, such as file-management-api:query:*')
      .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`)
      .describe(
        `1 to ${asCount(MAX_ENTRIES)} entries, each <service>-api:query:<name>, <service>-api:mutation:<name>, or * as the name. ` +
          'Entries of admin-api are refused: keys with them are made on the command line.',
      ),
    expiresIn: z
      .int()
      .nullish()
      .describe(`Lifetime in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; without it, the key never ends.`),
  },
);
export type CreateKeyInput = Given<typeof CreateKeyInput>;

export const RotateKeyInput = input(
  'RotateKeyInput',
  { registerIn, description: 'A key to replace.' },
  {
    id: anyId.describe('Id of the key to replace.'),
    overlap: z
      .int()
      .min(0, OVERLAP)
      .max(MAX_OVERLAP_SECONDS, OVERLAP)
      .nullish()
      .transform((seconds) => seconds ?? DEFAULT_OVERLAP_SECONDS)
      .describe(
        `How many seconds the old key works beside the new one, 0 to ${asCount(MAX_OVERLAP_SECONDS)} ` +
          `(${asDays(1_000 * MAX_OVERLAP_SECONDS)} days); ${asCount(DEFAULT_OVERLAP_SECONDS)} unless given.`,
      ),
    expiresIn: z
      .int()
      .nullish()
      .describe(
        `Lifetime of the new key in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; without it, it ends when the old one would have.`,
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
  { registerIn, description: 'A person to erase: at least one of authorId, recipient and emailAddress.' },
  {
    tenantId: anyId.describe('Id of the tenant that has data of the person.'),
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
      .describe('Email address of the person, such as ann@example.com, in any letter case: of mails, senders and authors.'),
  },
  (rules) =>
    rules.refine(
      ({ authorId, recipient, emailAddress }) => (authorId ?? recipient ?? emailAddress) !== null,
      'must have at least one of authorId, recipient and emailAddress',
    ),
);
export type ErasePersonInput = Given<typeof ErasePersonInput>;
