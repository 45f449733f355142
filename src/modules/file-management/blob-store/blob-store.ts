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

/** What a store holds, whether or not anybody still knows of it. */
export interface StoredBlob {
  key: string;
  modifiedAt: Date;
}

/** How a client that is sent to the store itself shall see the content. */
export interface Presentation {
  method: 'GET' | 'HEAD';
  expiresInSeconds: number;
  contentType: string;
  cacheControl: string;
  disposition: string | null;
}

/**
 * Where content lives: immutable blobs under keys that are never used twice. A blob appears whole or not at all, and
 * once it was put it survives a power cut. Keys are made of letters, digits, `-` and `/`.
 *
 * Every method can fail with BlobStoreUnavailable when the store is at fault.
 */
export abstract class BlobStore {
  /** Makes what the store needs, and removes what uploads that died left half-written. Can be called again at any time. */
  abstract prepare(): Promise<void>;

  /**
   * Streams content to a fresh key. Takes exactly `sizeBytes`. When it fails, nothing is left under the key.
   * @throws what the content stream failed with
   */
  abstract put(key: string, content: Readable, sizeBytes: number): Promise<void>;

  /** @throws BlobMissing */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /** Nothing when there is no such blob. */
  abstract stat(key: string): Promise<BlobStat | undefined>;

  /** Removing what is not there is no error. */
  abstract remove(key: string): Promise<void>;

  /** Resolves when the store can be read and written. */
  abstract check(): Promise<void>;

  /** All blobs, in no order. Uploads that are not completed are not among them. */
  abstract list(): AsyncIterable<StoredBlob>;

  /** Begins a multipart upload to a fresh key; answers with the store's own id of it. */
  abstract beginMultipart(key: string): Promise<string>;

  /**
   * Streams one part, 1 to 10,000, in any order, in parallel, and again: the last to finish counts.
   * Answers with its ETag, without quotes. @throws UploadMissing; what the content stream failed with
   */
  abstract putPart(
    key: string,
    uploadId: string,
    part: { partNumber: number; sizeBytes: number },
    content: Readable,
  ): Promise<string>;

  /** The parts that have arrived, by number. @throws UploadMissing */
  abstract listParts(key: string, uploadId: string): Promise<Part[]>;

  /**
   * Makes the named parts the blob, at once and whole; parts that are not named go. Answers with the blob's ETag, without
   * quotes. Sizes and order are the caller's to check. @throws UploadMissing when it was completed or aborted already;
   * PartMismatch when a named part is not there with that ETag (now: it may have been sent again), and nothing is changed
   */
  abstract completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string>;

  /** Removes the upload and its parts. What is not there is no error. */
  abstract abortMultipart(key: string, uploadId: string): Promise<void>;

  /** Where a client can send a part without passing through us; nothing when this store has no public address. */
  abstract presignedPartUrl(
    key: string,
    uploadId: string,
    partNumber: number,
    expiresInSeconds: number,
  ): Promise<string | undefined>;

  /** Where a client can read a blob without passing through us; nothing when this store has no public address. */
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

/** The store cannot be reached, is full, or refused; a repeat may succeed. */
export class BlobStoreUnavailable extends Error {
  constructor(
    message: string,
    readonly options: { full?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
