import { Field, ID, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';
import { asCount } from '../../common/base/amounts.js';

const registerIn = AdminSchema;
/** Maximum entries of a scope, well above the number of all operations. */
export const MAX_ENTRIES = 200;

@ObjectType('Key', { registerIn, description: 'Service access key, without its secret, which is not stored.' })
export class Key {
  @Field(() => ID, { nullable: true, description: 'Permanent id, a UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of its tenant.' })
  tenantId: string;

  @Field(() => String, { nullable: true, description: 'Display name, plain text; null if none.' })
  name: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Identifying prefix: the first 12 characters of the key, also shown in logs.',
  })
  prefix: string;

  @MaxItems(MAX_ENTRIES, { counted: 10 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: `Scope: permitted operations, such as email-api:mutation:sendMessage; at most ${asCount(MAX_ENTRIES)} entries.`,
  })
  scope: string[];

  @Field(() => DateTime, { nullable: true, description: 'Time of creation.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of expiry; null for never.' })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of the last use, to the minute; null for never.' })
  lastUsedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Time of revocation; null unless revoked.' })
  revokedAt: Date | null;
}

@ObjectType('NewKey', { registerIn, description: 'Newly created key.' })
export class NewKey {
  @Field(() => Key, { nullable: true, description: 'Stored key.' })
  key: Key;

  @Field(() => String, {
    nullable: true,
    description: 'Complete key for the header x-api-key. Returned only once: store it.',
  })
  secret: string;
}

@ObjectType('KeysResult', { registerIn, description: 'A page of keys.' })
export class KeysResult extends pageOf(Key, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}
