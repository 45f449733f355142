import { AppError } from '../../../common/base/app-error.js';
import type { FileRow } from '../file-storage/file-row.js';
import { acceptedBy } from './accepted-types.js';
import { FirstBytes } from './first-bytes.js';
import { HEAD_BYTES, typeProblem } from './recognized-type.js';

/** Returns the largest content of a file: the least of what the node and the creator of the file allow. */
export const largestOf = ({ maxBytes }: Pick<FileRow, 'maxBytes'>, maxUploadBytes: number): number =>
  Math.min(maxUploadBytes, Number(maxBytes ?? Infinity));

/** Returns what looks at the first bytes of new content, or nothing for a file that takes any. */
export function firstBytesOf(file: Pick<FileRow, 'id' | 'accept'>, contentType: string): FirstBytes | undefined {
  const accept = acceptedBy(file);
  return accept && new FirstBytes(HEAD_BYTES, (head) => typeProblem(accept, contentType, head));
}

/** Returns the error of content that has another checksum than the creator of the file expects. */
export function checksumProblem({ expectedSha256 }: Pick<FileRow, 'expectedSha256'>, sha256: string): AppError | undefined {
  if (!expectedSha256 || expectedSha256 === sha256) return undefined;
  return new AppError('BAD_USER_INPUT', `The content has the SHA-256 checksum ${sha256}, ${expectedSha256} was expected`);
}
