import { NotFoundError } from './errors.js';
import type { File, Operations } from './generated/files.js';
import type { Service } from './operations.js';
import type { PartsTarget } from './parts.js';
import type { Selected } from './selection.js';

/** Operations of the service. */
export type Methods = Service<Operations>;
/** A file with all its fields except URLs. */
export type StoredFile = Selected<File, Operations['file']['all']>;

/** Returns the server side of an upload in parts. */
export function targetOf(
  methods: Methods,
  { fileId, uploadId, contentType }: { fileId: string; uploadId: string; contentType?: string | undefined },
): PartsTarget<StoredFile> {
  return {
    partUrl: (partNumber) => methods.generatePartUploadUrl({ input: { fileId, uploadId, partNumber } }),
    parts: async () => {
      const found = await methods.multipartUpload({ fileId, uploadId });
      if (!found) throw new NotFoundError('NOT_FOUND', `Upload ${uploadId} does not exist`);
      return found.parts;
    },
    complete: (parts) => {
      const etags = parts.map(({ partNumber, ETag }) => ({ partNumber, ETag }));
      return methods.completeMultipartUpload({ input: { fileId, uploadId, etags, ...(contentType && { contentType }) } });
    },
  };
}

/** Returns the URL and the checksum of stored content. @throws NotFoundError without any */
export async function locate(methods: Methods, id: string, signal: AbortSignal | undefined) {
  const file = await methods.file(
    { ID: id },
    { downloadUrl: true, checksumSha256: true, etag: true, contentLength: true },
    { signal },
  );
  if (!file?.downloadUrl) throw new NotFoundError('NOT_FOUND', `File ${id} does not exist or has no content`);
  return { ...file, downloadUrl: file.downloadUrl };
}
