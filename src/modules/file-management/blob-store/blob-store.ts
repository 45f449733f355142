import type { Readable } from 'node:stream';

/** The first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Where content lives: immutable blobs under keys that are never used twice. A blob appears whole or not at all, and
 * once it was put it survives a power cut. Keys are made of letters, digits, `-` and `/`.
 */
export abstract class BlobStore {
  /**
   * Streams content to a fresh key. Takes exactly `sizeBytes`. When it fails, nothing is left under the key.
   * @throws what the content stream failed with; BlobStoreUnavailable when the store is at fault
   */
  abstract put(key: string, content: Readable, sizeBytes: number): Promise<void>;

  /** @throws BlobMissing; BlobStoreUnavailable */
  abstract open(key: string, range?: ByteRange): Promise<Readable>;

  /** Removing what is not there is no error. @throws BlobStoreUnavailable */
  abstract remove(key: string): Promise<void>;

  /** Resolves when the store can be read and written. */
  abstract check(): Promise<void>;
}

export class BlobMissing extends Error {
  constructor(key: string) {
    super(`There is no blob ${key}`);
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
