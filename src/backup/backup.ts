// Room: Copies a node with SQLite and a data folder while it runs, and restores the copy.
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Config, noDatabase } from '../common/config/config.js';
import { SqliteSnapshot } from '../common/database/sqlite/sqlite-snapshot.js';
import {
  ABOUT,
  BackupError,
  type BackupTarget,
  BLOBS,
  DATABASE,
  FORMAT,
  hashed,
  MAIL,
  onlyFolder,
  SECRETS,
  sumLine,
  SUMS,
} from './backup-format.js';
import { openTarget } from './backup-target.js';

/** File id within a blob key. A key ends with the file id, a hyphen and an id of the content, 36 characters each. */
const FILE_ID = `substr("blobKey", -73, 36)`;

/** Condition for a file with this id and content in the current or the earlier copy. */
const isOf = (tables: string) => `EXISTS (SELECT 1 FROM ${tables}"File" AS "f" WHERE "f"."id" = ${FILE_ID} AND "f"."blobKey" = "k"."blobKey")`; // prettier-ignore
const isPinnedIn = (tables: string) => `EXISTS (SELECT 1 FROM ${tables}"BlobPin" AS "p" WHERE "p"."blobKey" = "k"."blobKey")`;

/**
 * Returns the contents that a copy of the database references, or only those new since the earlier copy. Leaves out contents of
 * expired files: the server removes them before it updates the row.
 */
function* contentsOf(snapshot: SqliteSnapshot, isLater: boolean): Generator<string> {
  const isNew = isLater ? `AND NOT ${isOf('earlier.')} AND NOT ${isPinnedIn('earlier.')}` : '';
  const files = `SELECT "blobKey" FROM "File" AS "k" WHERE "blobKey" IS NOT NULL AND ("expiresAt" IS NULL OR "expiresAt" > ?) ${isNew}`;
  for (const { blobKey } of snapshot.rows<{ blobKey: string }>(files, Date.now())) yield blobKey;
  const pins = `SELECT DISTINCT "blobKey" FROM "BlobPin" AS "k" WHERE NOT ${isOf('main.')} ${isNew}`;
  for (const { blobKey } of snapshot.rows<{ blobKey: string }>(pins)) yield blobKey;
}

/** Returns whether the copy references this content. */
function stillNamed(snapshot: SqliteSnapshot, key: string): boolean {
  const named = `SELECT 1 FROM (SELECT ? AS "blobKey") AS "k" WHERE ${isOf('main.')} OR ${isPinnedIn('main.')}`;
  return [...snapshot.rows(named, key)].length > 0;
}

const MAX_ROUNDS = 10;
const CHUNK_BYTES = 256 * 1024;

export interface BackupReport {
  files: number;
  bytes: number;
  /** Keys of file contents that the database references but the store lacks. */
  lost: string[];
  hasSecret: boolean;
}

/**
 * Writes database, file contents, secret and stored mails to a folder or to standard output, while a server runs. A content never
 * changes under its key, so contents are copied after the database. If some were removed meanwhile, the database is copied again,
 * followed by the contents new in that copy. Each round is much shorter than the one before.
 */
export async function backUp(config: Config, path: string): Promise<BackupReport> {
  const databaseFile = onlyFolder(config);
  if (!existsSync(databaseFile)) throw new BackupError(noDatabase(config));
  const target = await openTarget(path, databaseFile);
  let broken = true;
  try {
    const report = await new Backup(config, databaseFile, target).run();
    broken = false;
    return report;
  } finally {
    await target.close(broken);
  }
}

class Backup {
  private readonly sumsFile: string;
  private readonly sums: WriteStream;
  private readonly report: BackupReport;

  constructor(
    private readonly config: Config,
    private readonly databaseFile: string,
    private readonly target: BackupTarget,
  ) {
    this.report = { files: 0, bytes: 0, lost: [], hasSecret: !config.secretKey };
    this.sumsFile = join(target.work, SUMS);
    this.sums = createWriteStream(this.sumsFile);
  }

  async run(): Promise<BackupReport> {
    const { dataDir, version } = this.config;
    const about = Buffer.from(`${JSON.stringify({ format: FORMAT, release: version, createdAt: new Date().toISOString() })}\n`);
    await this.add(ABOUT, about.length, Readable.from([about]));
    const copy = await this.addContents();
    // Read after the copy: if the secret was replaced meanwhile, the secret that signed the copy is among the old ones.
    if (this.report.hasSecret) for (const name of SECRETS) await this.addFile(join(dataDir, name), name);
    await this.addMails(join(dataDir, MAIL));
    await this.addFile(copy, DATABASE);
    this.sums.end();
    await finished(this.sums);
    await this.sendFile(this.sumsFile, (sizeBytes, content) => this.target.add({ name: SUMS, sizeBytes, content }));
    return this.report;
  }

  /** Adds the contents that a copy of the database references. Returns the copy for which all contents were added. */
  private async addContents(): Promise<string> {
    let earlier: string | undefined;
    for (let round = 1, missing: string[] = []; round <= MAX_ROUNDS; round++) {
      const copy = join(this.target.work, `${round}.db`);
      const snapshot = await SqliteSnapshot.take(this.databaseFile, copy, earlier);
      try {
        this.report.lost.push(...missing.filter((key) => stillNamed(snapshot, key)));
        missing = [];
        for (const key of contentsOf(snapshot, earlier !== undefined)) if (!(await this.addContent(key))) missing.push(key);
      } finally {
        snapshot.close();
      }
      if (earlier) await rm(earlier);
      if (missing.length === 0) return copy;
      earlier = copy;
    }
    throw new BackupError(`Contents were removed faster than they could be copied, ${MAX_ROUNDS} times; try again`);
  }

  /** Adds a content: a file, or a folder of parts after a multipart upload. Returns false if it is missing. */
  private async addContent(key: string): Promise<boolean> {
    const name = `${BLOBS}/${key}`;
    const path = join(this.config.dataDir, name);
    const parts = await readdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR' || error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!parts) return this.addFile(path, name);
    for (const part of parts.sort()) if (!(await this.addFile(join(path, part), `${name}/${part}`))) return false;
    return parts.length > 0;
  }

  private async addMails(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((name) => name.endsWith('.eml'))) await this.addFile(join(folder, name), `${MAIL}/${name}`);
  }

  /** Adds a file. Returns false if it is missing. */
  private addFile(path: string, name: string): Promise<boolean> {
    return this.sendFile(path, (sizeBytes, content) => this.add(name, sizeBytes, content));
  }

  private async sendFile(path: string, send: (sizeBytes: number, content: Readable) => Promise<void>): Promise<boolean> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    try {
      const { size } = await handle.stat();
      const options = { autoClose: false, end: size - 1, highWaterMark: CHUNK_BYTES };
      await send(size, size === 0 ? Readable.from([]) : handle.createReadStream(options));
    } finally {
      await handle.close();
    }
    return true;
  }

  private async add(name: string, sizeBytes: number, content: Readable): Promise<void> {
    const hash = createHash('sha256');
    await this.target.add({ name, sizeBytes, content: hashed(content, hash) });
    if (!this.sums.write(`${sumLine(hash.digest('hex'), name)}\n`)) await once(this.sums, 'drain');
    this.report.files++;
    this.report.bytes += sizeBytes;
  }
}
