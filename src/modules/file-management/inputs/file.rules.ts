import { z } from 'zod';
import { badInput } from '../../../common/errors/app-error.js';
import { asBytes } from '../../../common/validation/amounts.js';
import { authorRules } from '../../../common/validation/author.js';
import { containedText, MAX_COMMENT, MAX_NAME, text, MAX_IDS } from '../../../common/validation/text.js';
import { acceptedTypeRules, contentTypeRules } from '../../../common/validation/content-type.js';
import { timeRangeRules } from '../../../common/validation/time-range.js';
import { cacheControlProblem, MAX_CACHE_CONTROL, normalizedCacheControl } from '../http/cache-control.js';
import { FileStatus, MAX_ATTRIBUTES } from '../models/file.model.js';
import { MAX_ACCEPTED, MAX_ARCHIVED_IDS, MAX_FILE_BYTES, MAX_LIFE_SECONDS } from '../models/limits.js';

const name = text({ max: MAX_NAME })
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => !value.split(/[\\/]/).includes('..'), 'must not have a .. segment');

const cacheControl = text({ max: MAX_CACHE_CONTROL })
  .superRefine((value, context) => {
    const problem = cacheControlProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform(normalizedCacheControl);

const attribute = z.strictObject(
  { name: text({ min: 1, max: MAX_NAME }), value: text({ max: MAX_COMMENT }).nullish() },
  'must not be null',
);

const attributes = z
  .array(attribute)
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
  name: name.nullish(),
  contentType: contentTypeRules.nullish(),
  comment: text({ max: MAX_COMMENT }).nullish(),
  author: authorRules.nullish(),
  externalReference: text({ max: MAX_NAME }).nullish(),
  attributes: attributes.nullish(),
  public: z.boolean('must be true or false').optional(),
  cacheControl: cacheControl.nullish(),
};

const maxBytes = `must be a whole number from 1 to ${MAX_FILE_BYTES} (${asBytes(MAX_FILE_BYTES)})`;
const accept = `must name 1 to ${MAX_ACCEPTED} types; leave it out to take any`;
const expiresIn = `must be from 1 to ${MAX_LIFE_SECONDS} seconds`;

export const createFileRules = z.strictObject({
  ...fields,
  expiresIn: z.number().min(1, expiresIn).max(MAX_LIFE_SECONDS, expiresIn).nullish(),
  checksumSha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 checksum: 64 hexadecimal digits')
    .toLowerCase()
    .nullish(),
  maxBytes: z.int(maxBytes).min(1, maxBytes).max(MAX_FILE_BYTES, maxBytes).nullish(),
  accept: z.array(acceptedTypeRules, 'must be a list of types').min(1, accept).max(MAX_ACCEPTED, accept).nullish(),
});

export const updateFileRules = z.strictObject({
  ...fields,
  id: text({ min: 1, max: MAX_NAME }),
});

export const copyFileRules = z.strictObject({ id: text({ min: 1, max: MAX_NAME }), name });

const folder = text({ max: MAX_NAME }).refine(
  (value) => value === '' || value.endsWith('/'),
  'must end with a slash, such as invoices/2026/, or be empty for the files at the top',
);

/** The folder that files are moved to. */
export const targetFolderRules = name.refine(
  (value) => value === '' || value.endsWith('/'),
  'must end with a slash, such as invoices/2026/, or be empty for the top',
);

const deletedIds = `must have 1 to ${MAX_IDS} ids`;

export const deletedIdsRules = z
  .array(text({ min: 1, max: MAX_NAME }))
  .min(1, deletedIds)
  .max(MAX_IDS, deletedIds);

const archivedIds = `must have 1 to ${MAX_ARCHIVED_IDS} ids; a folder can have more files`;
export const archivedIdsRules = z
  .array(text({ min: 1, max: MAX_NAME }))
  .min(1, archivedIds)
  .max(MAX_ARCHIVED_IDS, archivedIds);

/** Files by their ids, or all below a folder. */
export type IdsOrFolder = { ids: string[]; folder?: undefined } | { ids?: undefined; folder: string };

/** Takes one of two arguments; `which` says which files they name. @throws BAD_USER_INPUT for both or none */
export function idsOrFolder(ids: string[] | null | undefined, folder: string | null | undefined, which: string): IdsOrFolder {
  if (typeof folder !== 'string') {
    if (!ids) throw badInput('ids', `is required, or folder: which files ${which}`);
    return { ids };
  }
  if (ids) throw badInput('folder', 'excludes ids; leave one of the two out');
  return { folder };
}

/** The folder to delete or to archive: never that of all files. */
export const deletedFolderRules = folder.refine((value) => value !== '', 'must name a folder, such as invoices/2026/');

export const filesFilterRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  ids: z
    .array(text({ max: MAX_NAME }).nullable())
    .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
    .nullish(),
  active: z.boolean().nullish(),
  status: z.enum(FileStatus).nullish(),
  namePrefix: text({ max: MAX_NAME }).nullish(),
  contains: containedText.nullish(),
  folder: folder.nullish(),
  createdAt: timeRangeRules.nullish(),
});

export type FilesWanted = z.infer<typeof filesFilterRules>;
export type CheckedFileFields = z.infer<typeof createFileRules> | z.infer<typeof updateFileRules>;
