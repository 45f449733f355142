import { Field, Float, ID, InputType, Int } from '@nestjs/graphql';
import { AdminSchema } from '../models/schema.js';
import { RetainedKind, TenantLimitName } from '../models/tenant.model.js';
import { MAX_KEY_NAME, MAX_KEY_SECONDS } from '../../../common/auth/api-key.js';
import { MAX_RETENTION_DAYS } from '../../../common/config/retention-periods.js';
import { MAX_TENANT_NAME } from '../../../common/tenants/tenant-names.js';
import { asCount, asDays } from '../../../common/validation/amounts.js';
import { MAX_NAME } from '../../../common/validation/text.js';
import { MAX_ENTRIES } from '../models/key.model.js';
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '../models/limits.js';

const registerIn = AdminSchema;

@InputType('CreateTenantInput', { registerIn, description: 'A new tenant.' })
export class CreateTenantInput {
  @Field(() => String, {
    description:
      `1 to ${asCount(MAX_TENANT_NAME)} characters, no control characters, unique, and permanent. Mails that ask to verify an ` +
      'address name it.',
  })
  name: string;
}

@InputType('TenantLimitInput', { registerIn, description: 'A limit to set.' })
export class TenantLimitInput {
  @Field(() => TenantLimitName, { description: 'What to limit.' })
  name: TenantLimitName;

  @Field(() => Float, {
    nullable: true,
    description: `A whole number from 1 to ${asCount(Number.MAX_SAFE_INTEGER)}; 0: no limit; null: the setting of the server.`,
  })
  limit?: number | null;
}

@InputType('TenantRetentionInput', { registerIn, description: 'A period to set.' })
export class TenantRetentionInput {
  @Field(() => RetainedKind, { description: 'What to keep.' })
  kind: RetainedKind;

  @Field(() => Int, {
    nullable: true,
    description: `Days, 1 to ${asCount(MAX_RETENTION_DAYS)}; null: the setting of the server.`,
  })
  days?: number | null;
}

@InputType('CreateKeyInput', { registerIn, description: 'A new key.' })
export class CreateKeyInput {
  @Field(() => ID, { description: 'Id of its tenant.' })
  tenantId: string;

  @Field(() => String, {
    nullable: true,
    description: `What people call it: 1 to ${asCount(MAX_KEY_NAME)} characters, no control characters; need not be unique.`,
  })
  name?: string | null;

  @Field(() => [String], {
    description:
      `1 to ${asCount(MAX_ENTRIES)} entries, each <service>-api:query:<name>, <service>-api:mutation:<name>, or * as the name. ` +
      'Entries of admin-api are refused: keys with them are made on the command line.',
  })
  scope: string[];

  @Field(() => Int, {
    nullable: true,
    description: `Lifetime in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; without it, the key never ends.`,
  })
  expiresIn?: number | null;
}

@InputType('RotateKeyInput', { registerIn, description: 'A key to replace.' })
export class RotateKeyInput {
  @Field(() => ID, { description: 'Id of the key to replace.' })
  id: string;

  @Field(() => Int, {
    nullable: true,
    description:
      `How many seconds the old key works beside the new one, 0 to ${asCount(MAX_OVERLAP_SECONDS)} ` +
      `(${asDays(1_000 * MAX_OVERLAP_SECONDS)} days); ${asCount(DEFAULT_OVERLAP_SECONDS)} unless given.`,
  })
  overlap?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: `Lifetime of the new key in seconds, 1 to ${asCount(MAX_KEY_SECONDS)}; without it, it ends when the old one would have.`,
  })
  expiresIn?: number | null;
}

@InputType('ErasePersonInput', {
  registerIn,
  description: 'A person to erase: at least one of authorId, recipient and emailAddress.',
})
export class ErasePersonInput {
  @Field(() => ID, { description: 'Id of the tenant that has data of the person.' })
  tenantId: string;

  @Field(() => ID, {
    nullable: true,
    description: `Id of the person as the author of log records, files, templates and stylesheets, 1 to ${asCount(MAX_NAME)} characters.`,
  })
  authorId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Name of the person as a recipient of messages, 1 to ${asCount(MAX_NAME)} characters.`,
  })
  recipient?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Email address of the person, such as ann@example.com, in any letter case: of mails, senders and authors.',
  })
  emailAddress?: string | null;
}
