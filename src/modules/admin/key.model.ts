import { Field, ID, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../common/lists/page-of.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';
import { asCount } from '../../common/base/amounts.js';

const registerIn = AdminSchema;
/** How many entries a scope can have. All operations of all services together are far fewer. */
export const MAX_ENTRIES = 200;

@ObjectType('Key', { registerIn, description: 'A service access key, without its secret, which is not stored.' })
export class Key {
  @Field(() => ID, { nullable: true, description: 'Permanent; UUIDv7.' })
  id: string;

  @Field(() => ID, { nullable: true, description: 'Id of its tenant.' })
  tenantId: string;

  @Field(() => String, { nullable: true, description: 'What people call it, plain text; null: it has no name.' })
  name: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The first 12 characters of the key, by which people recognise it; logs show them too.',
  })
  prefix: string;

  @MaxItems(MAX_ENTRIES, { counted: 10 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: `Its rights, such as email-api:mutation:sendMessage; at most ${asCount(MAX_ENTRIES)} entries.`,
  })
  scope: string[];

  @Field(() => DateTime, { nullable: true, description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it ends, or ended; null: never.' })
  expiresAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was last used, to the minute; null: never.' })
  lastUsedAt: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null if it was not.' })
  revokedAt: Date | null;
}

@ObjectType('NewKey', { registerIn, description: 'A key that was just created.' })
export class NewKey {
  @Field(() => Key, { nullable: true, description: 'The key as it is stored.' })
  key: Key;

  @Field(() => String, {
    nullable: true,
    description: 'The whole key, for the header x-api-key. It is shown here, and never again.',
  })
  secret: string;
}

@ObjectType('KeysResult', { registerIn, description: 'A page of keys.' })
export class KeysResult extends pageOf(Key, {
  nextToken: 'Pass it back, with the same tenantId, for the next page; null at the end.',
}) {}
