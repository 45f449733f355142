import { ObjectType } from '@nestjs/graphql';
import { AuthorFields, authorInput } from '../../../common/graphql/types/author.js';
import type { Given } from '../../../common/graphql/types/input.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

@ObjectType('Author', {
  registerIn: DocumentRenderingSchema,
  description: 'Who made the last change, as the application told it.',
})
export class Author extends AuthorFields {}

export const AuthorInput = authorInput(DocumentRenderingSchema);
export type AuthorInput = Given<typeof AuthorInput>;
