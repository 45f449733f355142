import { z } from 'zod';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_CONTENT_TYPE } from '../../../common/base/content-type.js';
import { DEFAULT_PART_URL_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';
import { MAX_PARTS } from './multipart.model.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;
const PART_NUMBER = `1 to ${asCount(MAX_PARTS)}.`;

// The service checks the values, in order of use.
const upload = {
  fileId: z.string().describe('Id of the file.'),
  uploadId: z.string().describe('Id returned by initiateMultipartUpload.'),
};

export const InitiateMultipartUploadInput = input(
  'initiateMultipartUploadInput',
  { registerIn, description: 'File to upload.' },
  { fileId: z.string().nullish().describe('Id of the file that receives the content.') },
);
export type InitiateMultipartUploadInput = Given<typeof InitiateMultipartUploadInput>;

export const GeneratePartUploadUrlInput = input(
  'generatePartUploadUrlInput',
  { registerIn, description: 'Part to upload.' },
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
  { registerIn, description: 'A received part.' },
  {
    partNumber: z.int().describe(`Number of the part, ${PART_NUMBER}`),
    ETag: z.string().describe('ETag header of the response to the part, with or without quotes.'),
  },
);

export const CompleteMultipartUploadInput = input(
  'completeMultipartUploadInput',
  { registerIn, description: 'Upload to complete, and its parts.' },
  {
    ...upload,
    etags: z.array(nested(PartETag)).describe('Parts in ascending order of partNumber. Other parts are discarded.'),
    contentType: z
      .string()
      .nullish()
      .describe(
        `MIME type, up to ${MAX_CONTENT_TYPE} characters. Required for a file with accept: one of its types, which becomes the ` +
          'contentType. For another file it must equal contentType, if set.',
      ),
  },
);
export type CompleteMultipartUploadInput = Given<typeof CompleteMultipartUploadInput>;

export const AbortMultipartUploadInput = input(
  'AbortMultipartUploadInput',
  { registerIn, description: 'Upload to abort.' },
  upload,
);
export type AbortMultipartUploadInput = Given<typeof AbortMultipartUploadInput>;
