import type { Readable } from 'node:stream';

/** A range of bytes; both the first and the last byte are inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A part of a multipart upload that has arrived. */
export interface Part {
  partNumber: number;
  /** MD5 of the part, lower-case hex, without quotes. */
  etag: string;
  sizeBytes: number;
}

export interface BlobStat {
  sizeBytes: number;
  /** The ETag of the blob, without quotes. */
  etag: string;
}

/** A blob in the store, whether or not a file names it. */
export interface StoredBlob {
  key: string;
  modifiedAt: Date;
}

/** The method, the lifetime and the headers of a URL of the store. */
export interface Presentation {
  method: 'GET' | 'HEAD';
  expiresInSeconds: number;
  contentType: string;
  cacheControl: string;
  disposition: string | null;
}

/**
 * Stores content as immutable blobs, under keys that are never used twice. A blob becomes visible only as a whole, and survives a
 * power cut once `put` has resolved. Keys consist of letters, digits, `-` and `/`. Every method can throw BlobStoreUnavailable if
 * the store fails.
 */
export abstract class BlobStore {
  /** Creates what the store needs, and removes what interrupted uploads left. Can be called at any time, and again. */
  abstract prepare(): Promise<void>;

  /**
   * Streams content to a fresh key. Takes exactly `sizeBytes`. A failure leaves nothing under the key.
   * @throws the error of the content stream
   */
  abstract put(key: string, content: Readable, sizeBytes: number): Promise<void>;

  /** Opens a blob for reading, whole or in a range. @throws BlobMissing */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /**
   * Copies a blob to a fresh key within the store: no byte passes through this process. A failure leaves nothing under that key.
   * @throws BlobMissing
   */
  abstract copy(from: string, to: string): Promise<void>;

  /** Returns size and ETag of a blob, or nothing if there is no such blob. */
  abstract stat(key: string): Promise<BlobStat | undefined>;

  /** Removes a blob. Removing a missing blob is not an error. */
  abstract remove(key: string): Promise<void>;

  /** Resolves when the store can be read and written. */
  abstract check(): Promise<void>;

  /** Lists all blobs, or only those whose keys begin with a folder, in any order. Open uploads are not listed. */
  abstract list(folder?: string): AsyncIterable<StoredBlob>;

  /** Removes an empty folder into which no blobs are written any more. Does nothing if the store has no folders. */
  abstract removeFolder(folder: string): Promise<void>;

  /** Begins a multipart upload to a fresh key, and returns the id that the store gives it. */
  abstract beginMultipart(key: string): Promise<string>;

  /**
   * Streams one part, 1 to 10,000, and returns its ETag without quotes. Parts can be sent in any order, in parallel, and again:
   * of several sends of a part, the last to finish replaces the others.
   * @throws UploadMissing; the error of the content stream
   */
  abstract putPart(
    key: string,
    uploadId: string,
    part: { partNumber: number; sizeBytes: number },
    content: Readable,
  ): Promise<string>;

  /** Lists the parts that have arrived, by number. @throws UploadMissing */
  abstract listParts(key: string, uploadId: string): Promise<Part[]>;

  /**
   * Joins the named parts into the blob, which becomes visible as a whole, and drops the other parts. Returns the blob's ETag,
   * without quotes. The caller checks sizes and order.
   * @throws UploadMissing if the upload was completed or aborted already; PartMismatch if a named part is missing or has another
   * ETag, perhaps because it was just sent again. On a PartMismatch nothing is changed.
   */
  abstract completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string>;

  /** Removes an upload and its parts. Removing a missing upload is not an error. */
  abstract abortMultipart(key: string, uploadId: string): Promise<void>;

  /** Returns a URL to send a part directly to the store, or nothing when the store has no public address. */
  abstract presignedPartUrl(
    key: string,
    uploadId: string,
    partNumber: number,
    expiresInSeconds: number,
  ): Promise<string | undefined>;

  /** Returns a URL to read a blob directly from the store, or nothing when the store has no public address. */
  abstract presignedDownloadUrl(key: string, presentation: Presentation): Promise<string | undefined>;
}

export class BlobMissing extends Error {
  constructor(key: string) {
    super(`There is no blob ${key}`);
  }
}

export class UploadMissing extends Error {
  constructor(uploadId: string) {
    super(`There is no multipart upload ${uploadId}`);
  }
}

export class PartMismatch extends Error {
  constructor(readonly partNumber?: number) {
    super(partNumber === undefined ? 'A part is not there with its ETag' : `Part ${partNumber} is not there with that ETag`);
  }
}

/** The store is unreachable or full, or refused the call. A retry may succeed. */
export class BlobStoreUnavailable extends Error {
  constructor(
    message: string,
    readonly options: { full?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
