import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_WITH_REFERENCE } from '../models/file.model.js';
import { DEFAULT_DOWNLOAD_SECONDS, DEFAULT_UPLOAD_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';
import { KEY_LENGTH } from '../models/limits.js';

/** Schema descriptions of the operations on files. */
export const FILES = {
  file: 'A file; null for an unknown id.',
  files: `Files, newest first unless order says otherwise. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  filter: 'Returns only matching files; all if left out.',
  filesWithExternalReference:
    `All files of a reference, newest first, without pages. limit (1 to ${asCount(MAX_WITH_REFERENCE)}) is required when there ` +
    `are more than ${asCount(MAX_WITH_REFERENCE)}, or when they are too large for one operation (PAYLOAD_TOO_LARGE).`,
  filesWithExternalReferenceLimit: `The most files to return, 1 to ${asCount(MAX_WITH_REFERENCE)}; all by default.`,
  fileFolders:
    'The folders directly below a prefix, as the slashes of names make them, in the order of their code points: of a/b/c.txt, ' +
    `a/ is at the top, and a/b/ is below a/. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. As ` +
    `long as there is a nextToken, there can be more. Folders whose prefix has more than ${KEY_LENGTH} characters (code ` +
    'points) are left out.',
  fileFoldersPrefix: 'The beginning of the names, such as the prefix of a folder; empty by default, for the folders at the top.',
  createFile:
    'Creates a file without content; send the bytes by PUT to its uploadUrl. PAYLOAD_TOO_LARGE when the tenant has reached ' +
    'its number of files; the PUT answers 413 when it would exceed the bytes of the tenant.',
  createFileInput: 'The fields of the file; without it the file has no name.',
  updateFile: 'Changes a file. NOT_FOUND for an unknown id; FAILED_PRECONDITION for another contentType once there is content.',
  deleteFile: 'Removes a file with its content, and returns it as it was. NOT_FOUND for an unknown id.',
  downloadUrl:
    'The URL to read the content from by GET; null without content. expiresIn is its lifetime in seconds, 1 to ' +
    `${asCount(MAX_URL_SECONDS)}, ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default. The URL of a public file is permanent.`,
  downloadUrlExpiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
  uploadUrl:
    'The URL to send new content to by PUT; null once the file has expired, and for a key with neither mutation:createFile nor ' +
    `mutation:updateFile. expiresIn is its lifetime in seconds, 1 to ${asCount(MAX_URL_SECONDS)}, ${DEFAULT_UPLOAD_SECONDS} by ` +
    'default. An upload that began in time may finish.',
  uploadUrlExpiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${DEFAULT_UPLOAD_SECONDS} by default.`,
};
