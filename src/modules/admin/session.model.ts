import { Field, ID, ObjectType } from '@nestjs/graphql';
import { MAX_ROLES, SESSION_SECONDS } from '../../common/auth/sessions.service.js';
import { asCount } from '../../common/base/amounts.js';
import { pageOf } from '../../common/lists/page-of.js';
import { MaxItems } from '../../common/scheduling/list-size.js';
import { DateTime } from '../../common/graphql/types/date-time.scalar.js';
import { AdminSchema } from '../../common/graphql/types/schemas.js';

const registerIn = AdminSchema;

@ObjectType('Session', { registerIn, description: 'Session of a person in Studio. Removed within a minute of its expiry.' })
export class Session {
  @Field(() => ID, { nullable: true, description: 'Permanent id, a UUIDv7.' })
  id: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Subject of the person at the issuer: the authorId of everything the person saves.',
  })
  personId: string;

  @Field(() => String, { nullable: true, description: 'Display name of the person, plain text.' })
  name: string;

  @MaxItems(MAX_ROLES, { counted: 10 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: `Roles with the name of their tenant, such as editor:acme or operator:*; at most ${asCount(MAX_ROLES)}.`,
  })
  roles: string[];

  @Field(() => DateTime, { nullable: true, description: 'Time of the sign-in.' })
  createdAt: Date;

  @Field(() => DateTime, { nullable: true, description: `Time of expiry, ${SESSION_SECONDS / 3_600} h after the sign-in.` })
  expiresAt: Date;

  @Field(() => DateTime, { nullable: true, description: 'Time of sign-out or revocation; null before.' })
  revokedAt: Date | null;
}

@ObjectType('SessionsResult', { registerIn, description: 'A page of sessions.' })
export class SessionsResult extends pageOf(Session, {
  nextToken: 'Cursor of the next page, or null on the last.',
}) {}
