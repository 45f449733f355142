import { Field, ID, InputType } from '@nestjs/graphql';
import { z } from 'zod';
import { MAX_NAME, text } from '../../../common/validation/text.js';
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

export const authorRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  name: text({ max: MAX_NAME }).nullish(),
  email: text({ max: MAX_NAME }).nullish(),
  profile: text({ max: MAX_NAME }).nullish(),
});
