import { Field, ID, ObjectType } from '@nestjs/graphql';
import { DocumentRenderingSchema } from './schema.js';

@ObjectType('Author', {
  registerIn: DocumentRenderingSchema,
  description: 'Who made the last change, as the application told it.',
})
export class Author {
  @Field(() => ID, { nullable: true })
  id?: string | null;

  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => String, { nullable: true })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Such as an admin, user or customer role.' })
  profile?: string | null;
}
