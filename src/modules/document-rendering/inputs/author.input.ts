import { InputType } from '@nestjs/graphql';
import { AuthorInputFields } from '../../../common/graphql/types/author.js';
import { DocumentRenderingSchema } from '../models/schema.js';

@InputType('AuthorInput', { registerIn: DocumentRenderingSchema, description: 'Every field up to 1,024 characters.' })
export class AuthorInput extends AuthorInputFields {}
