import { badInput } from '../../../common/base/app-error.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import type { Part } from '../blob-store/blob-store.js';
import type { CompleteMultipartUploadInput } from './multipart.inputs.js';
import { MAX_PARTS, type MultipartUpload } from './multipart.model.js';

/** Part named by the caller of a completion. */
export type NamedPart = Pick<Part, 'partNumber' | 'etag'>;

/** Returns the named parts with ETags unquoted. @throws BAD_USER_INPUT unless the part numbers are 1 to 10,000 and ascending */
export function checkNamedParts(etags: CompleteMultipartUploadInput['etags']): NamedPart[] {
  if (etags.length < 1 || etags.length > MAX_PARTS) throw badInput('input.etags', `must name 1 to ${MAX_PARTS} parts`);
  etags.forEach(({ partNumber, ETag }, index) => {
    checkText(`input.etags.${index}.ETag`, ETag, { min: 1, max: MAX_NAME });
    const before = etags[index - 1]?.partNumber ?? 0;
    if (partNumber <= before) throw badInput(`input.etags.${index}.partNumber`, 'must be greater than the previous part number');
  });
  return etags.map(({ partNumber, ETag }) => ({ partNumber, etag: ETag.replace(/^"(.*)"$/, '$1') }));
}

export function toUploadedPart({ partNumber, etag, sizeBytes }: Part): MultipartUpload['parts'][number] {
  return { partNumber, ETag: `"${etag}"`, size: sizeBytes };
}
