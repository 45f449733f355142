import { BlobMissing, BlobStoreUnavailable, PartMismatch, UploadMissing } from './blob-store.js';
import { StoreRefused } from './s3/store-http.js';

const KEY = /^[0-9A-Za-z-]+(\/[0-9A-Za-z-]+)*$/;
const UPLOAD_ID = /^[\w.~=+/-]+$/;
const FULL = new Set(['XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'InsufficientStorage', 'HTTP 507']);

/** Returns the S3 error code. The SDK throws errors with a code, or bare XML if the response began with a success status. */
function codeOf(error: unknown): string | undefined {
  const { code, Code } = error as { code?: string; Code?: string };
  return code || Code;
}

/** Translates errors of the store, the network and the SDK to BlobStore errors. */
export function toStoreError(error: unknown, { key, uploadId }: { key?: string; uploadId?: string }): Error {
  if (error instanceof BlobStoreUnavailable) return error;
  const code = codeOf(error);
  if (uploadId !== undefined && (code === 'NoSuchUpload' || code === 'NoSuchKey' || code === 'NotFound')) {
    return new UploadMissing(uploadId);
  }
  if (key !== undefined && (code === 'NoSuchKey' || code === 'NotFound')) return new BlobMissing(key);
  if (code === 'InvalidPart' || code === 'InvalidPartOrder') return new PartMismatch();
  const full = code !== undefined && (FULL.has(code) || (error instanceof StoreRefused && error.status === 507));
  if (full) return new BlobStoreUnavailable('The store is full', { full: true, cause: error });
  return new BlobStoreUnavailable(`The store cannot be used: ${code ?? (error as Error).message}`, { cause: error });
}

/** @throws Error for a key that this server did not generate */
export function checkKey(key: string): void {
  if (!KEY.test(key)) throw new Error(`Not a blob key: ${key}`);
}

/** @throws UploadMissing for a malformed upload id */
export function checkUploadId(uploadId: string): void {
  if (!UPLOAD_ID.test(uploadId)) throw new UploadMissing(uploadId);
}
