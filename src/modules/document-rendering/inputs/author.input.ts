import { Field, ID, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';

@InputType('AuthorInput', { registerIn: DocumentRenderingSchema, description: 'Every field up to 1,024 characters.' })
export class AuthorInput {
  @Field(() => ID, { nullable: true, description: 'Id in the application, up to 1,024 characters.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it, up to 1,024 characters.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, up to 1,024 characters; not checked.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role, up to 1,024 characters.' })
  profile?: string | null;
}
