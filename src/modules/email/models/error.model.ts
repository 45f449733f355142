import { Field, ObjectType } from '@nestjs/graphql';
import type { AppError } from '../../../common/base/app-error.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';

@ObjectType('EmailError', { registerIn: EmailSchema, description: 'Why one item of a call with many was refused.' })
export class EmailError {
  @Field(() => String, {
    nullable: true,
    description: 'The code, as extensions.code of an operation has it, such as BAD_USER_INPUT.',
  })
  code: string;

  @Field(() => String, {
    nullable: true,
    description: 'The field that is wrong, with the index of the item, such as input.3.address; null if it is none.',
  })
  field: string | null;

  @Field(() => String, { nullable: true, description: 'What is wrong, and what would be right.' })
  message: string;
}

export const toEmailError = ({ code, message, field }: AppError): EmailError => ({ code, message, field: field ?? null });
