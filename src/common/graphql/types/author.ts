import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { asCount } from '../../validation/amounts.js';
import { MAX_NAME } from '../../validation/text.js';

/** The fields of an Author in each service: a schema needs a class of its own. */
@ObjectType({ isAbstract: true })
export class AuthorFields {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Display name.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, as the application gave it.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'A role, such as admin, user or customer.' })
  profile?: string | null;
}

/** The fields of an AuthorInput in each service. */
@InputType({ isAbstract: true })
export class AuthorInputFields {
  @Field(() => ID, { nullable: true, description: `Id in the application, up to ${asCount(MAX_NAME)} characters.` })
  id?: string | null;

  @Field(() => String, { nullable: true, description: `Display name, up to ${asCount(MAX_NAME)} characters.` })
  name?: string | null;

  @Field(() => String, { nullable: true, description: `Email address, up to ${asCount(MAX_NAME)} characters; not checked.` })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `A role, such as admin, user or customer, up to ${asCount(MAX_NAME)} characters.`,
  })
  profile?: string | null;
}
