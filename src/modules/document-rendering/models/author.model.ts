import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from './schema.js';

@ObjectType('Author', {
  registerIn: DocumentRenderingSchema,
  description: 'Who made the last change, as the application told it.',
})
export class Author {
  @Field(() => ID, { nullable: true, description: 'Id in the application.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Name, as a person reads it.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Email address, as the application gave it.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role.' })
  profile?: string | null;
}
