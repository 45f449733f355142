import mime from 'mime-types';
import type { Caller } from '../../../common/auth/caller.js';
import { type AppError, badInput } from '../../../common/base/app-error.js';
import { checkInput } from '../../../common/base/text.js';
import { CreateFileInput } from './file.inputs.js';
import { expectedType } from '../content-rules/accepted-types.js';
import { type NewFile, newRow } from '../file-storage/file-row.js';

const UNKNOWN_TYPE = 'application/octet-stream';

/** Creates a row without content from an input. @throws BAD_USER_INPUT with the path of the wrong value, below `field` */
export function newFile(caller: Caller, input: CreateFileInput, field = 'input'): NewFile {
  const fields = checkInput(CreateFileInput.rules, input, field);
  const { accept, name } = fields;
  if (fields.cacheControl && !fields.public) throw onlyPublic(field);
  if (accept && typeof fields.contentType === 'string') {
    throw badInput(`${field}.accept`, 'cannot be combined with contentType; leave one of the two out');
  }
  const ofName = typeOf(name);
  return newRow(caller.tenantId, fields, fields.contentType ?? (accept ? expectedType(accept, ofName) : ofName));
}

export const onlyPublic = (field = 'input'): AppError =>
  badInput(`${field}.cacheControl`, 'applies to public files only; set public to true or leave this out');

export function typeOf(name: string | null | undefined): string {
  return (name && mime.lookup(name)) || UNKNOWN_TYPE;
}
