import { Field, ObjectType } from '@nestjs/graphql';
import type { AppError } from '../../../common/base/app-error.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

@ObjectType('EmailError', { registerIn: EmailSchema, description: 'Error of one item in a batch.' })
export class EmailError {
  @Field(() => String, {
    nullable: true,
    description: 'Error code, as in extensions.code of an operation, such as BAD_USER_INPUT.',
  })
  code: string;

  @Field(() => String, {
    nullable: true,
    description: 'Invalid field with the index of the item, such as input.3.address; null if no field is at fault.',
  })
  field: string | null;

  @Field(() => String, { nullable: true, description: 'Error message, with the fix.' })
  message: string;
}

export const toEmailError = ({ code, message, field }: AppError): EmailError => ({ code, message, field: field ?? null });
