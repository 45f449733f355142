import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { authorInput } from '../../../common/graphql/types/author.js';
import {
  asFloat,
  type Checked,
  type Given,
  id,
  input,
  nested,
  refusedNull,
  refusedNullItems,
} from '../../../common/graphql/types/input.js';
import { timeRangeInput } from '../../../common/graphql/types/time-range.input.js';
import { CONTAINS } from '../../../common/lists/page.js';
import { asBytes, asCount } from '../../../common/base/amounts.js';
import { acceptedTypeRules, contentTypeRules, MAX_CONTENT_TYPE } from '../../../common/base/content-type.js';
import { containedText, MAX_COMMENT, MAX_IDS, MAX_NAME, text } from '../../../common/base/text.js';
import {
  cacheControlProblem,
  MAX_CACHE_CONTROL,
  MAX_CACHE_SECONDS,
  normalizedCacheControl,
} from '../content-rules/cache-control.js';
import { FileStatus, MAX_ATTRIBUTES } from '../models/file.model.js';
import { MAX_ACCEPTED, MAX_ARCHIVED_IDS, MAX_FILE_BYTES, MAX_LIFE_SECONDS } from '../models/limits.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;

const name = text({ max: MAX_NAME })
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => !value.split(/[\\/]/).includes('..'), 'must not have a .. segment');

const cacheControl = text({ max: MAX_CACHE_CONTROL })
  .superRefine((value, context) => {
    const problem = cacheControlProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform(normalizedCacheControl);

const AttributeInput = input(
  'AttributeInput',
  { registerIn, description: 'A name and value stored with a file.' },
  {
    name: text({ min: 1, max: MAX_NAME }).describe(`Unique within its file; 1 to ${asCount(MAX_NAME)} characters.`),
    value: text({ max: MAX_COMMENT })
      .nullish()
      .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  },
);

const attributes = z
  .array(nested(AttributeInput))
  .max(MAX_ATTRIBUTES, `must have at most ${MAX_ATTRIBUTES} attributes`)
  .superRefine((list, context) => {
    const seen = new Set<string>();
    list.forEach((one, index) => {
      if (seen.has(one.name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'must be unique within the file' });
      seen.add(one.name);
    });
  });

const fields = {
  name: name
    .nullish()
    .describe(`File name with its extension, up to ${asCount(MAX_NAME)} characters, no control characters, no .. segment.`),
  contentType: contentTypeRules
    .nullish()
    .describe(
      `MIME type, up to ${MAX_CONTENT_TYPE} characters. By default it follows from the extension of the name, else application/octet-stream.`,
    ),
  comment: text({ max: MAX_COMMENT })
    .nullish()
    .describe(`Up to ${asCount(MAX_COMMENT)} characters.`),
  author: nested(authorInput(registerIn)).nullish().describe('Author of the change. Replaces the whole author.'),
  externalReference: text({ max: MAX_NAME })
    .nullish()
    .describe(`Your id of a related object, up to ${asCount(MAX_NAME)} characters.`),
  attributes: refusedNullItems(attributes).nullish().describe(`Up to ${MAX_ATTRIBUTES}. Replaces the whole list.`),
  cacheControl: cacheControl
    .nullish()
    .describe(
      'Cache-Control of downloads, for public files only (else BAD_USER_INPUT); no-cache if omitted or null. The ' +
        'directives are public, private, no-cache, no-store, no-transform, must-revalidate, proxy-revalidate, immutable, and, ' +
        `with =SECONDS from 0 to ${asCount(MAX_CACHE_SECONDS)}, max-age, s-maxage, stale-while-revalidate, stale-if-error. Each ` +
        `may occur once; max-age, no-cache or no-store is required. Up to ${MAX_CACHE_CONTROL} characters. Caches keep content ` +
        'for that long even if the file is replaced, deleted or made private, but not past expiresAt.',
    ),
};
const isPublic = z.boolean('must be true or false');

const maxBytes = `must be a whole number from 1 to ${MAX_FILE_BYTES} (${asBytes(MAX_FILE_BYTES)})`;
const accept = `must name 1 to ${MAX_ACCEPTED} types; leave it out to accept any`;
const expiresIn = `must be from 1 to ${MAX_LIFE_SECONDS} seconds`;

export const CreateFileInput = input(
  'CreateFileInput',
  { registerIn, description: 'Fields of a new file. All are optional.' },
  {
    ...fields,
    public: isPublic.default(false).describe('If true, downloadUrl is permanent and has no signature. Default: false.'),
    expiresIn: z
      .int()
      .min(1, expiresIn)
      .max(MAX_LIFE_SECONDS, expiresIn)
      .nullish()
      .describe(`Seconds after which the content expires; 1 to ${asCount(MAX_LIFE_SECONDS)}. Sets expiresAt.`),
    checksumSha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 checksum: 64 hexadecimal digits')
      .toLowerCase()
      .nullish()
      .describe('Expected SHA-256, in hex. Content with another checksum is refused, and the status becomes error.'),
    maxBytes: asFloat(z.int(maxBytes).min(1, maxBytes).max(MAX_FILE_BYTES, maxBytes))
      .nullish()
      .describe(
        `Maximum content size, 1 byte to ${asBytes(MAX_FILE_BYTES)}; the PUT answers 413 to more. Also limits the sum of all parts.`,
      ),
    accept: refusedNullItems(z.array(acceptedTypeRules, 'must be a list of types').min(1, accept).max(MAX_ACCEPTED, accept))
      .nullish()
      .describe(
        `Accepted types, such as image/png or image/*, 1 to ${MAX_ACCEPTED}. The Content-Type of the PUT, or contentType of ` +
          'completeMultipartUpload, must be one of them (else 415) and becomes the contentType. The first bytes must match that type. ' +
          'A type without a known signature must be listed by its full name. Excludes contentType.',
      ),
  },
);
export type CreateFileInput = Given<typeof CreateFileInput>;

export const UpdateFileInput = input(
  'UpdateFileInput',
  { registerIn, description: 'Changed fields. Omitted fields are unchanged; null clears a field.' },
  {
    ...fields,
    public: isPublic.optional().describe('Unchanged if left out; cannot be null.'),
    id: refusedNull(id(text({ min: 1, max: MAX_NAME }))).describe('Id of the file to update.'),
  },
);
export type UpdateFileInput = Given<typeof UpdateFileInput>;
export type CheckedNewFile = Checked<typeof CreateFileInput>;
export type CheckedFileFields = CheckedNewFile | Checked<typeof UpdateFileInput>;

const folder = text({ max: MAX_NAME }).refine(
  (value) => value === '' || value.endsWith('/'),
  'must end with a slash, such as invoices/2026/, or be empty for the top level',
);

export const FilesFilter = input(
  'FilesFilter',
  { registerIn, description: 'A file must match every given field.' },
  {
    id: text({ max: MAX_NAME }).nullish().describe('File id; overrides ids.'),
    ids: z
      .array(text({ max: MAX_NAME }).nullable())
      .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
      .nullish()
      .describe(`Up to ${asCount(MAX_IDS)}; an empty list matches nothing.`),
    active: z.boolean().nullable().default(true).describe('Currently unused.'),
    status: z.enum(FileStatus).nullish().describe('Only files with this status.'),
    namePrefix: text({ max: MAX_NAME }).nullish().describe('Prefix of the name, case-sensitive.'),
    contains: containedText.nullish().describe(`Any part of the name, ${CONTAINS}`),
    folder: folder
      .nullish()
      .describe(
        'Prefix of a folder, such as a/b/. Selects files directly in it, not in its subfolders. Empty selects files without a slash in the name.',
      ),
    createdAt: nested(timeRangeInput(registerIn)).nullish().describe('Creation time of the file.'),
  },
);
export type FilesFilter = Given<typeof FilesFilter>;
export type FilesWanted = Checked<typeof FilesFilter>;

export const FilesWithExternalReferenceFilter = input(
  'FilesWithExternalReferenceFilter',
  { registerIn, description: 'A file must match every given field.' },
  { status: z.enum(FileStatus).nullish().describe('Only files with this status.') },
);
export type FilesWithExternalReferenceFilter = Given<typeof FilesWithExternalReferenceFilter>;

export const copyFileRules = z.strictObject({ id: text({ min: 1, max: MAX_NAME }), name });

export const targetFolderRules = name.refine(
  (value) => value === '' || value.endsWith('/'),
  'must end with a slash, such as invoices/2026/, or be empty for the top level',
);

/** Folder to delete or archive. Never empty, which would select all files. */
export const deletedFolderRules = folder.refine((value) => value !== '', 'must name a folder, such as invoices/2026/');

const idsRules = (max: number, fault: string) =>
  z
    .array(text({ min: 1, max: MAX_NAME }))
    .min(1, fault)
    .max(max, fault);
export const deletedIdsRules = idsRules(MAX_IDS, `must have 1 to ${MAX_IDS} ids`);
export const archivedIdsRules = idsRules(
  MAX_ARCHIVED_IDS,
  `must have 1 to ${MAX_ARCHIVED_IDS} ids; a folder can have more files`,
);

/** Files by their ids, or all below a folder. */
export type IdsOrFolder = { ids: string[]; folder?: undefined } | { ids?: undefined; folder: string };

/** Requires exactly one of two arguments. `purpose` completes the error message. @throws BAD_USER_INPUT for both or none */
export function idsOrFolder(ids: string[] | null | undefined, folder: string | null | undefined, purpose: string): IdsOrFolder {
  if (typeof folder !== 'string') {
    if (!ids) throw badInput('ids', `is required unless folder is set: select the files ${purpose}`);
    return { ids };
  }
  if (ids) throw badInput('folder', 'cannot be combined with ids; leave one of the two out');
  return { folder };
}
