import { AppError } from '../../../common/base/app-error.js';
import type { FileRow } from '../file-storage/file-row.js';
import { acceptedBy } from './accepted-types.js';
import { FirstBytes } from './first-bytes.js';
import { HEAD_BYTES, typeProblem } from './recognized-type.js';

/** Returns the maximum content size: the lower of the server's limit and the file's. */
export const largestOf = ({ maxBytes }: Pick<FileRow, 'maxBytes'>, maxUploadBytes: number): number =>
  Math.min(maxUploadBytes, Number(maxBytes ?? Infinity));

/** Returns a check of the first bytes of new content, or undefined for a file that accepts any. */
export function firstBytesOf(file: Pick<FileRow, 'id' | 'accept'>, contentType: string): FirstBytes | undefined {
  const accept = acceptedBy(file);
  return accept && new FirstBytes(HEAD_BYTES, (head) => typeProblem(accept, contentType, head));
}

/** Returns the error of content whose checksum is not the expected one, or undefined. */
export function checksumProblem({ expectedSha256 }: Pick<FileRow, 'expectedSha256'>, sha256: string): AppError | undefined {
  if (!expectedSha256 || expectedSha256 === sha256) return undefined;
  return new AppError('BAD_USER_INPUT', `The content has the SHA-256 checksum ${sha256}, expected ${expectedSha256}`);
}
