import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Config, ConfigError } from '../common/config/config.js';
import { openingFault } from '../common/database/database.module.js';
import { refuseLaterDatabase } from '../common/database/migration-files.js';
import { isPostgresReadOnly, readMigrations } from '../common/database/migrator.js';
import { createLogger } from '../common/logging/logger.js';
import type { MailNotTaken } from '../modules/email/transport/mail-transport.js';
import type { BlobStore } from '../modules/file-management/blob-store/blob-store.js';
import { Fault } from './fault.js';

/** Separate folder in the store, without content of files. */
const FOLDER = 'doctor';
const CHANNEL = 'platform-services:doctor';

export async function checkDatabase(config: Config): Promise<string> {
  const { databaseUrl, databaseFile } = config;
  if (databaseFile && !existsSync(databaseFile))
    return `no ${databaseFile} yet: the first start creates it; set DATA_DIR if the data is elsewhere`;
  try {
    if (databaseFile) await access(databaseFile, constants.R_OK | constants.W_OK);
    const { applied, waiting, unknown } = await readMigrations(databaseUrl);
    refuseLaterDatabase(unknown);
    if (unknown.length > 0) {
      const advice = 'start that release; this one ignores the unknown migrations';
      throw new Fault(`a later release migrated the database: ${unknown.join(', ')}`, advice, 'warning');
    }
    if (config.isPostgres && (await isPostgresReadOnly(databaseUrl))) {
      throw new Fault(
        'the database accepts no changes',
        'name the primary in DATABASE_URL if this is a standby, or let it be written to',
      );
    }
    const next = waiting.length > 0 ? `, and ${waiting.length} that the next start applies` : '';
    return `${config.isPostgres ? 'PostgreSQL' : 'SQLite'}, ${applied.length} migrations${next}`;
  } catch (error) {
    if (error instanceof Fault) throw error;
    const advice = error instanceof ConfigError ? 'follow this message' : 'start the database and let this machine reach it';
    throw new Fault(openingFault(error).message, `correct DATABASE_URL, or ${advice}`);
  }
}

/** Writes, reads and removes an object. Creates no folder, since another user than that of the server would own it. */
export async function checkStore(config: Config): Promise<string> {
  const { minio, dataDir } = config;
  if (!minio && !existsSync(join(dataDir, 'blobs'))) return 'a folder in DATA_DIR, which the first start creates';
  const advice = minio
    ? 'correct S3_ENDPOINT and the keys, and let them read, write and delete in S3_BUCKET'
    : 'let the user of the server write to DATA_DIR';
  try {
    const { openBlobStore } = await import('../modules/file-management/blob-store/blob-store.module.js');
    await tryStore(await openBlobStore(config));
  } catch (error) {
    throw new Fault(described(error), advice);
  }
  return `wrote, read and removed an object in ${minio ? `the bucket ${minio.bucket}` : 'DATA_DIR'}`;
}

async function tryStore(store: BlobStore): Promise<void> {
  const content = randomUUID();
  const key = `${FOLDER}/${content}`;
  await store.put(key, Readable.from([Buffer.from(content)]), content.length);
  try {
    const read = await text(await store.open(key));
    if (read !== content) throw new Error('The store returned other content than was written');
  } finally {
    await store.remove(key);
    await store.removeFolder(FOLDER);
  }
}

export async function checkRedis({ redis }: Config): Promise<string> {
  if (!redis) return 'not used: one node';
  try {
    const { RedisLink } = await import('../modules/websockets-manager/bus/redis-link.js');
    const link = await RedisLink.open(redis, [CHANNEL], () => undefined);
    link.destroy();
    return 'connected, logged in and subscribed';
  } catch (error) {
    throw new Fault(described(error), 'correct REDIS_URL, or start Redis and let this machine reach it');
  }
}

/** Logs in to the mail server without sending anything. */
export async function checkMail(config: Config): Promise<string> {
  const { smtp } = config;
  if (!smtp) return 'not used: mails become files in DATA_DIR';
  const { SmtpMailTransport } = await import('../modules/email/transport/smtp-mail-transport.js');
  const transport = new SmtpMailTransport(smtp, createLogger({ ...config, logLevel: 'silent' }));
  try {
    await transport.verify();
    return `connected as for a mail${smtp.tls === 'required' ? ', by TLS' : ''}`;
  } catch (error) {
    throw new Fault((error as MailNotTaken).message, 'correct SMTP_URL and SMTP_TLS, or let this machine reach the mail server');
  } finally {
    transport.close();
  }
}

/** Returns the cause of an error, for the operator only. */
function described(error: unknown): string {
  const { message, cause } = error as Error;
  const reason =
    cause instanceof Error && !message.includes(cause.message)
      ? cause.message || String((cause as NodeJS.ErrnoException).code)
      : '';
  return reason ? `${message}: ${reason}` : message;
}
