import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { syncFolder } from '../../../common/disk/folders.js';
import { BlobMissing, type BlobStat, type ByteRange, type Part } from './blob-store.js';
import { CHUNK_BYTES, isNotThere } from './disk-files.js';

/**
 * Part stored as a file. Its name contains all metadata, so listing the folder suffices for every read. `version` counts the sends of
 * the part. Blob keys have no dots, so none has such a name.
 */
export interface PartFile extends Part {
  name: string;
  version: number;
}

const NAME = /^(\d{5})\.(\d+)\.(\d+)\.([0-9a-f]{32})$/;

export function partFile(part: Part, version: number): PartFile {
  const name = [String(part.partNumber).padStart(5, '0'), version, part.sizeBytes, part.etag].join('.');
  return { ...part, version, name };
}

export function partFiles(names: string[]): PartFile[] {
  return names.flatMap((name) => {
    const [, partNumber, version, sizeBytes, etag] = NAME.exec(name) ?? [];
    if (etag === undefined) return [];
    return [{ name, partNumber: Number(partNumber), version: Number(version), sizeBytes: Number(sizeBytes), etag }];
  });
}

/** Creates a folder of hard links to the parts of a blob. */
export async function linkParts(parts: PartFile[], source: string, temporary: string): Promise<void> {
  await mkdir(temporary);
  for (const { name } of parts) await link(join(source, name), join(temporary, name));
  await syncFolder(temporary);
}

/**
 * Returns the latest version of each part, in part order. A crash or two simultaneous sends can leave two files of that version.
 * Either is valid, but every reader must choose the same one.
 */
export function newest(files: PartFile[]): PartFile[] {
  const byNumber = new Map<number, PartFile>();
  for (const file of files) {
    const other = byNumber.get(file.partNumber);
    if (!other || isNewer(file, other)) byNumber.set(file.partNumber, file);
  }
  return [...byNumber.values()].sort((a, b) => a.partNumber - b.partNumber);
}

function isNewer(file: PartFile, other: PartFile): boolean {
  return file.version === other.version ? file.name > other.name : file.version > other.version;
}

/** Computes the ETag like S3: MD5 over the parts' MD5s, with the number of parts. */
export function statOfParts(files: PartFile[]): BlobStat {
  const digest = createHash('md5');
  for (const { etag } of files) digest.update(etag, 'hex');
  return {
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    etag: `${digest.digest('hex')}-${files.length}`,
  };
}

/** Streams the parts in order. Opens one file at once, since there can be 10,000. */
export function readParts(key: string, folder: string, { files, range }: { files: PartFile[]; range?: ByteRange }): Readable {
  return Readable.from(bytesOf(key, folder, slices(files, range)), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

type Slice = ByteRange & { name: string };

function slices(files: PartFile[], { start, end }: ByteRange = { start: 0, end: Infinity }): Slice[] {
  const found: Slice[] = [];
  let offset = 0;
  for (const { name, sizeBytes } of files) {
    const slice = { name, start: Math.max(start - offset, 0), end: Math.min(end - offset, sizeBytes - 1) };
    if (slice.start <= slice.end) found.push(slice);
    offset += sizeBytes;
  }
  return found;
}

async function* bytesOf(key: string, folder: string, wanted: Slice[]): AsyncGenerator<Buffer> {
  try {
    for (const { name, start, end } of wanted) {
      yield* createReadStream(join(folder, name), { start, end, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;
    }
  } catch (error) {
    throw isNotThere(error) ? new BlobMissing(key) : error;
  }
}
