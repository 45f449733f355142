import mime from 'mime-types';
import type { Caller } from '../../../common/auth/caller.js';
import { type AppError, badInput } from '../../../common/base/app-error.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { checkInput } from '../../../common/base/text.js';
import { type CheckedFileFields, CreateFileInput } from './file.inputs.js';
import { FileStatus } from '../models/file.model.js';
import { expectedType } from '../content-rules/accepted-types.js';
import { fileKey } from './file-filter.js';
import type { NewFile } from './file-insert.queries.js';

const UNKNOWN_TYPE = 'application/octet-stream';

/** Creates a row without content from an input. @throws BAD_USER_INPUT with the path of the wrong value, below `field` */
export function newFile(caller: Caller, input: CreateFileInput, field = 'input'): NewFile {
  const { expiresIn, checksumSha256, maxBytes, accept, ...fields } = checkInput(CreateFileInput.rules, input, field);
  if (fields.cacheControl && !fields.public) throw onlyPublic(field);
  if (accept && typeof fields.contentType === 'string') {
    throw badInput(`${field}.accept`, 'cannot be combined with contentType; leave one of the two out');
  }
  const id = uuidv7();
  const now = new Date(timeOfId(id));
  const expiresAt = expiresIn ? new Date(now.getTime() + expiresIn * 1000) : null;
  const stored = storedFields(fields);
  // Written out, since V8 builds an object from several spreads far more slowly.
  return {
    id,
    tenantId: caller.tenantId,
    name: stored.name ?? null,
    nameKey: stored.nameKey ?? null,
    comment: stored.comment ?? null,
    author: stored.author ?? null,
    externalReference: stored.externalReference ?? null,
    externalReferenceKey: stored.externalReferenceKey ?? null,
    contentType: fields.contentType ?? (accept ? expectedType(accept, typeOf(fields.name)) : typeOf(fields.name)),
    status: FileStatus.uploading,
    public: fields.public ?? false,
    cacheControl: fields.cacheControl ?? null,
    attributes: attributesOf(fields),
    expectedSha256: checksumSha256 ?? null,
    maxBytes: maxBytes ?? null,
    accept: accept ? JSON.stringify(accept) : null,
    createdAt: now,
    updatedAt: now,
    expiresAt,
    sweepAt: expiresAt,
  };
}

/** Returns fields that are stored unchanged, with the keys of their indexes. */
export function storedFields({ name, comment, author, externalReference }: CheckedFileFields) {
  return {
    name,
    nameKey: name && fileKey(name),
    comment,
    author: author && JSON.stringify(author),
    externalReference,
    externalReferenceKey: externalReference && fileKey(externalReference),
  };
}

export const onlyPublic = (field = 'input'): AppError =>
  badInput(`${field}.cacheControl`, 'applies to public files only; set public to true or leave this out');

export function attributesOf({ attributes }: CheckedFileFields) {
  return JSON.stringify((attributes ?? []).map(({ name, value }) => ({ name, value: value ?? null })));
}

export function typeOf(name: string | null | undefined): string {
  return (name && mime.lookup(name)) || UNKNOWN_TYPE;
}
