import type { Type } from '@nestjs/common';
import { Field, ID, ObjectType } from '@nestjs/graphql';
import { asCount } from '../../base/amounts.js';
import { MAX_NAME, text } from '../../base/text.js';
import { id, input } from './input.js';

/** Fields of an Author in each service. Each schema requires its own class. */
@ObjectType({ isAbstract: true })
export class AuthorFields {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Display name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, as the application gave it.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Role, such as admin, user or customer.' })
  profile?: string | null;
}

const authorText = text({ max: MAX_NAME });

/** Declares the AuthorInput of a service. Each schema requires its own class. */
export const authorInput = (registerIn: Type) =>
  input(
    'AuthorInput',
    { registerIn, description: `Author of a change. Each field has up to ${asCount(MAX_NAME)} characters.` },
    {
      id: id(authorText)
        .nullish()
        .describe(`Id in the application, up to ${asCount(MAX_NAME)} characters.`),
      name: authorText.nullish().describe(`Display name, up to ${asCount(MAX_NAME)} characters.`),
      email: authorText.nullish().describe(`Email address, up to ${asCount(MAX_NAME)} characters; not checked.`),
      profile: authorText.nullish().describe(`Role, such as admin, user or customer, up to ${asCount(MAX_NAME)} characters.`),
    },
  );
