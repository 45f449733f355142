import { ObjectType } from '@nestjs/graphql';
import { AuthorFields, authorInput } from '../../../common/graphql/types/author.js';
import type { Given } from '../../../common/graphql/types/input.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';

@ObjectType('Author', {
  registerIn: DocumentRenderingSchema,
  description: 'Author of the last change, as named by the application.',
})
export class Author extends AuthorFields {}

export const AuthorInput = authorInput(DocumentRenderingSchema);
export type AuthorInput = Given<typeof AuthorInput>;
