import type { Readable } from 'node:stream';

/** The first and the last byte, both inclusive. */
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
  /** Without quotes. */
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
 * Stores content as immutable blobs, under keys that are never used twice. A blob appears whole or not at all, and survives a
 * power cut once it is put. Keys consist of letters, digits, `-` and `/`.
 *
 * Every method can throw BlobStoreUnavailable when the store fails.
 */
export abstract class BlobStore {
  /** Creates what the store needs, and removes what interrupted uploads left. Can be called again at any time. */
  abstract prepare(): Promise<void>;

  /**
   * Streams content to a fresh key. Takes exactly `sizeBytes`. A failure leaves nothing under the key.
   * @throws the error of the content stream
   */
  abstract put(key: string, content: Readable, sizeBytes: number): Promise<void>;

  /** @throws BlobMissing */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /** Returns nothing when there is no such blob. */
  abstract stat(key: string): Promise<BlobStat | undefined>;

  /** Removing a missing blob is not an error. */
  abstract remove(key: string): Promise<void>;

  /** Resolves when the store can be read and written. */
  abstract check(): Promise<void>;

  /** Lists all blobs, or those whose keys begin with a folder, in any order, without open uploads. */
  abstract list(folder?: string): AsyncIterable<StoredBlob>;

  /** Removes an empty folder that nothing is written to any more, in a store that has folders. */
  abstract removeFolder(folder: string): Promise<void>;

  /** Begins a multipart upload to a fresh key, and returns the store's id of it. */
  abstract beginMultipart(key: string): Promise<string>;

  /**
   * Streams one part, 1 to 10,000. Parts can come in any order, in parallel, and again: the last to finish counts.
   * Returns its ETag, without quotes. @throws UploadMissing; the error of the content stream
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
   * Joins the named parts to the blob, which appears whole, and drops the others. Returns the blob's ETag, without quotes.
   * The caller checks sizes and order. @throws UploadMissing when it was completed or aborted already; PartMismatch when a
   * named part is missing or has another ETag, perhaps because it was sent again just now; then nothing is changed
   */
  abstract completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string>;

  /** Removes the upload and its parts. Removing a missing upload is not an error. */
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

/** The store is away or full, or refused the call. A retry may succeed. */
export class BlobStoreUnavailable extends Error {
  constructor(
    message: string,
    readonly options: { full?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
