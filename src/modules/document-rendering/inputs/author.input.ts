import { Field, ID, InputType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from '../models/schema.js';

@InputType('AuthorInput', { registerIn: DocumentRenderingSchema, description: 'Every field up to 1,024 characters.' })
export class AuthorInput {
  @Field(() => ID, { nullable: true })
  id?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true })
  email?: string | null;

  @Field(() => String, { nullable: true })
  profile?: string | null;
}
