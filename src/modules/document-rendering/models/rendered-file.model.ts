import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { MAX_WARNINGS } from '../template-language/result/warnings.js';
import { RenderingWarning } from './rendering.model.js';
import { DocumentRenderingSchema } from '../../../common/graphql/types/schemas.js';
import { MAX_PARAM_NAMES } from './template.model.js';

const registerIn = DocumentRenderingSchema;

export enum PaperSize {
  A4 = 'A4',
  A5 = 'A5',
  LETTER = 'LETTER',
  LEGAL = 'LEGAL',
}
registerEnumType(PaperSize, {
  name: 'PaperSize',
  registerIn,
  description: 'The size of each page.',
  valuesMap: {
    A4: { description: 'The sheet of offices in most countries (ISO).' },
    A5: { description: 'Half of A4.' },
    LETTER: { description: 'The sheet of offices in North America.' },
    LEGAL: { description: 'As wide as LETTER, and higher.' },
  },
});

@ObjectType('RenderedFile', { registerIn, description: 'A document that was stored as a file.' })
export class RenderedFile {
  @Field(() => ID, { nullable: true, description: 'The file of file management, which is done.' })
  fileId: string;

  @Field(() => Float, { nullable: true, description: 'Its size in bytes.' })
  contentLength: number;

  @Field(() => Int, { nullable: true, description: 'How many pages it has.' })
  pages: number;

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'As in RenderingResult, of the document without its header and footer.',
  })
  missingParams: string[];

  @MaxItems(MAX_WARNINGS, { counted: 10 })
  @Field(() => [RenderingWarning], {
    nullable: 'itemsAndList',
    description: 'As in RenderingResult, of the document without its header and footer.',
  })
  warnings: RenderingWarning[];
}
