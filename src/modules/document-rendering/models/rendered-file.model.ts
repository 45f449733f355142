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
  description: 'Page size.',
  valuesMap: {
    A4: { description: 'ISO A4, used in most countries.' },
    A5: { description: 'ISO A5, half of A4.' },
    LETTER: { description: 'US Letter.' },
    LEGAL: { description: 'US Legal: as wide as Letter, but longer.' },
  },
});

@ObjectType('RenderedFile', { registerIn, description: 'A document stored as a file.' })
export class RenderedFile {
  @Field(() => ID, { nullable: true, description: 'Id of the file in file management. Its status is done.' })
  fileId: string;

  @Field(() => Float, { nullable: true, description: 'Size in bytes.' })
  contentLength: number;

  @Field(() => Int, { nullable: true, description: 'Number of pages.' })
  pages: number;

  @MaxItems(MAX_PARAM_NAMES, { counted: 100 })
  @Field(() => [String], {
    nullable: 'itemsAndList',
    description: 'Same as in RenderingResult, for the document without header and footer.',
  })
  missingParams: string[];

  @MaxItems(MAX_WARNINGS, { counted: 10 })
  @Field(() => [RenderingWarning], {
    nullable: 'itemsAndList',
    description: 'Same as in RenderingResult, for the document without header and footer.',
  })
  warnings: RenderingWarning[];
}
