import type { Readable } from 'node:stream';

/** Byte range; both ends are inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Received part of a multipart upload. */
export interface Part {
  partNumber: number;
  /** MD5 of the part, lower-case hex, without quotes. */
  etag: string;
  sizeBytes: number;
}

export interface BlobStat {
  sizeBytes: number;
  /** ETag without quotes. */
  etag: string;
}

/** Blob in the store, with or without a file that refers to it. */
export interface StoredBlob {
  key: string;
  modifiedAt: Date;
}

/** Method, lifetime and headers of a presigned URL. */
export interface Presentation {
  method: 'GET' | 'HEAD';
  expiresInSeconds: number;
  contentType: string;
  cacheControl: string;
  disposition: string | null;
}

/**
 * Stores content as immutable blobs, under keys that are never reused. A blob becomes visible only as a whole, and survives a power
 * failure once `put` has resolved. Keys consist of letters, digits, `-` and `/`. Every method can throw BlobStoreUnavailable.
 */
export abstract class BlobStore {
  /** Creates the bucket or folders, and removes leftovers of interrupted uploads. Idempotent. */
  abstract prepare(): Promise<void>;

  /** Streams exactly `sizeBytes` to a new key. A failure stores nothing. @throws the error of the content stream */
  abstract put(key: string, content: Readable, sizeBytes: number): Promise<void>;

  /** Opens a blob or a range of it. @throws BlobMissing */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * Copies a blob to a new key inside the store, without passing its content through this process. A failure stores nothing.
   * @throws BlobMissing
   */
  abstract copy(from: string, to: string): Promise<void>;

  /** Returns size and ETag, or undefined for an unknown key. */
  abstract stat(key: string): Promise<BlobStat | undefined>;

  /** Removes a blob. Ignores an unknown key. */
  abstract remove(key: string): Promise<void>;

  /** Resolves if the store is readable and writable. */
  abstract check(): Promise<void>;

  /** Lists all blobs, or those in a folder, in any order. Omits open multipart uploads. */
  abstract list(folder?: string): AsyncIterable<StoredBlob>;

  /** Removes an empty folder that receives no more blobs. Does nothing in a store without folders. */
  abstract removeFolder(folder: string): Promise<void>;

  /** Starts a multipart upload to a new key, and returns the store's upload id. */
  abstract beginMultipart(key: string): Promise<string>;

  /**
   * Streams one part, numbered 1 to 10,000, and returns its ETag without quotes. Parts can be sent in any order, in parallel and
   * repeatedly. Of repeated sends, the last to finish wins.
   * @throws UploadMissing; the error of the content stream
   */
  abstract putPart(
    key: string,
    uploadId: string,
    part: { partNumber: number; sizeBytes: number },
    content: Readable,
  ): Promise<string>;

  /** Lists the received parts by number. @throws UploadMissing */
  abstract listParts(key: string, uploadId: string): Promise<Part[]>;

  /**
   * Joins the named parts into the blob atomically, discards the other parts, and returns the blob's ETag without quotes. The
   * caller checks sizes and order.
   * @throws UploadMissing if the upload was already completed or aborted; PartMismatch, with nothing changed, if a part is missing
   * or has another ETag
   */
  abstract completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string>;

  /** Removes an upload and its parts. Ignores an unknown upload. */
  abstract abortMultipart(key: string, uploadId: string): Promise<void>;

  /** Returns a URL to send a part directly to the store, or undefined if the store has no public endpoint. */
  abstract presignedPartUrl(
    key: string,
    uploadId: string,
    partNumber: number,
    expiresInSeconds: number,
  ): Promise<string | undefined>;

  /** Returns a URL to read a blob directly from the store, or undefined if the store has no public endpoint. */
  abstract presignedDownloadUrl(key: string, presentation: Presentation): Promise<string | undefined>;
}

export class BlobMissing extends Error {
  constructor(key: string) {
    super(`Blob ${key} does not exist`);
  }
}

export class UploadMissing extends Error {
  constructor(uploadId: string) {
    super(`Multipart upload ${uploadId} does not exist`);
  }
}

export class PartMismatch extends Error {
  constructor(readonly partNumber?: number) {
    super(
      partNumber === undefined ? 'A part is missing or has another ETag' : `Part ${partNumber} is missing or has another ETag`,
    );
  }
}

/** Signals that the store is unreachable, full or refused the call. A retry may succeed. */
export class BlobStoreUnavailable extends Error {
  constructor(
    message: string,
    readonly options: { full?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
