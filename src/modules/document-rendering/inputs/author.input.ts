import { InputType } from '@nestjs/graphql';
import { AuthorInputFields } from '../../../common/graphql/types/author.js';
import { DocumentRenderingSchema } from '../models/schema.js';
import { asCount } from '../../../common/validation/amounts.js';
import { MAX_NAME } from '../../../common/validation/text.js';

@InputType('AuthorInput', {
  registerIn: DocumentRenderingSchema,
  description: `Every field up to ${asCount(MAX_NAME)} characters.`,
})
export class AuthorInput extends AuthorInputFields {}
