import { z } from 'zod';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_CONTENT_TYPE } from '../../../common/base/content-type.js';
import { DEFAULT_PART_URL_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';
import { MAX_PARTS } from './multipart.model.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;
const PART_NUMBER = `1 to ${asCount(MAX_PARTS)}.`;

// The service checks the values, in the order in which it needs them.
const upload = {
  fileId: z.string().describe('The file of the upload.'),
  uploadId: z.string().describe('The id that initiateMultipartUpload returned.'),
};

export const InitiateMultipartUploadInput = input(
  'initiateMultipartUploadInput',
  { registerIn, description: 'Names the file to upload.' },
  { fileId: z.string().nullish().describe('The file that the parts will be the content of.') },
);
export type InitiateMultipartUploadInput = Given<typeof InitiateMultipartUploadInput>;

export const GeneratePartUploadUrlInput = input(
  'generatePartUploadUrlInput',
  { registerIn, description: 'Names the part to upload.' },
  {
    ...upload,
    partNumber: z.int().describe(PART_NUMBER),
    expiresIn: z
      .int()
      .nullish()
      .describe(
        `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_PART_URL_SECONDS)} by default.`,
      ),
  },
);
export type GeneratePartUploadUrlInput = Given<typeof GeneratePartUploadUrlInput>;

const PartETag = input(
  'PartETag',
  { registerIn, description: 'A part that arrived.' },
  {
    partNumber: z.int().describe(`Number of the part, ${PART_NUMBER}`),
    ETag: z.string().describe('The ETag header of the answer to the part, with or without its quotes.'),
  },
);

export const CompleteMultipartUploadInput = input(
  'completeMultipartUploadInput',
  { registerIn, description: 'The upload to complete, and the parts that become the content.' },
  {
    ...upload,
    etags: z.array(nested(PartETag)).describe('In ascending order of partNumber; other parts are dropped.'),
    contentType: z
      .string()
      .nullish()
      .describe(
        `MIME type, up to ${MAX_CONTENT_TYPE} characters. Required for a file with accept, of which it names one and becomes the ` +
          'contentType; of another file it must be the type, if given.',
      ),
  },
);
export type CompleteMultipartUploadInput = Given<typeof CompleteMultipartUploadInput>;

export const AbortMultipartUploadInput = input(
  'AbortMultipartUploadInput',
  { registerIn, description: 'Names the upload to abort.' },
  upload,
);
export type AbortMultipartUploadInput = Given<typeof AbortMultipartUploadInput>;
