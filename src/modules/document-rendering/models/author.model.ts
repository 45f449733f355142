import { ObjectType } from '@nestjs/graphql';
import { AuthorFields } from '../../../common/graphql/types/author.js';
import { DocumentRenderingSchema } from './schema.js';

@ObjectType('Author', {
  registerIn: DocumentRenderingSchema,
  description: 'Who made the last change, as the application told it.',
})
export class Author extends AuthorFields {}
