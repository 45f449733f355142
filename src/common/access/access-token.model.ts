import type { Type } from '@nestjs/common';
import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../graphql/types/date-time.scalar.js';
import { MAX_ORIGINS, MAX_TOKEN_ENTRIES } from '../tokens/access-tokens.js';
import { MaxItems } from '../scheduling/list-size.js';

const nullable = true;
const items = 'itemsAndList' as const;

/** Fields of an AccessToken in each service. */
@ObjectType({ isAbstract: true })
class AccessTokenFields {
  @Field(() => String, {
    nullable,
    description: 'The token, shown once. Send it as Authorization: Bearer, or in x-api-key, in place of the key.',
  })
  token: string;

  @Field(() => ID, { nullable, description: 'Id of the token, which logs show after pst_.' })
  id: string;

  @Field(() => DateTime, { nullable, description: 'Time at which the token expires, at the latest when its key does.' })
  expiresAt: Date;

  @MaxItems(MAX_TOKEN_ENTRIES, { counted: 10 })
  @Field(() => [String], { nullable: items, description: `Scope of the token, at most ${MAX_TOKEN_ENTRIES} entries.` })
  scope: string[];

  @Field(() => String, { nullable, description: 'Recipient that the token is bound to.' })
  recipient: string | null;

  @Field(() => String, { nullable, description: 'Beginning of the names of the files that the token is bound to.' })
  filePrefix: string | null;

  @MaxItems(MAX_ORIGINS)
  @Field(() => [String], { nullable: items, description: `Origins that the token is bound to, at most ${MAX_ORIGINS}.` })
  origins: string[] | null;
}

/** Fields of an AccessDenial in each service. */
@ObjectType({ isAbstract: true })
class AccessDenialFields {
  @Field(() => ID, { nullable, description: 'Id of the key whose tokens have ended.' })
  keyId: string | null;

  @Field(() => String, { nullable, description: 'Recipient whose tokens have ended.' })
  recipient: string | null;

  @Field(() => DateTime, { nullable, description: 'Time of the denial. Tokens created later are valid.' })
  deniedAt: Date;
}

/** Token as its creator sees it. */
export type CreatedToken = AccessTokenFields;
/** Denial as its caller sees it. */
export type AccessDenial = AccessDenialFields;

/** Creates the types of a service. `registerIn` selects their schema. */
export function accessTypes(registerIn: Type): { AccessToken: Type<CreatedToken>; AccessDenial: Type<AccessDenial> } {
  @ObjectType('AccessToken', { registerIn, description: 'Token for a browser or a device, which is not stored.' })
  class AccessToken extends AccessTokenFields {}

  @ObjectType('AccessDenial', { registerIn, description: 'Tokens that have ended.' })
  class AccessDenialOfService extends AccessDenialFields {}

  return { AccessToken, AccessDenial: AccessDenialOfService };
}
