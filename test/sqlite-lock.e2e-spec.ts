// @only sqlite: only a file is locked as a whole
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { onceUnlocked } from '../src/common/database/sqlite/once-unlocked.js';
import { uuidv7 } from '../src/common/base/ids.js';
import type { Api } from './support/api.js';
import { allRowsOf, connectDatabase, openSqlite } from './support/behind-the-api.js';
import { CREATE, input } from './support/document-log.js';
import { dataFolder } from './support/folders.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

const REFUSED_MS = 12_000;

describe('a database file locked by another process', () => {
  let server: TestServer;
  let files: Api;
  let logs: Api;
  let other: Sqlite.Database;
  beforeAll(async () => {
    server = await TestServer.start();
    const key = await server.createKey();
    files = await server.api('file-management', key);
    logs = await server.api('document-log', key);
    other = openSqlite('the lock of the database is the subject', join(server.dataDir, 'platform-services.db'));
  });
  afterAll(async () => {
    other.close();
    await server.stop();
  });

  const transaction = () =>
    allRowsOf('the lock of the database is the subject', server).$transaction(
      async (tx) => void (await tx.tenant.create({ data: { id: uuidv7(), name: uuidv7(), createdAt: new Date() } })),
    );
  const writes = () =>
    Promise.all([
      files.send('mutation{createFile(input:{}){id}}'),
      logs.send(CREATE, { input: input() }),
      transaction().then(
        () => ({ errors: undefined }),
        ({ code }) => ({ errors: [{ extensions: { code } }] }),
      ),
    ]);
  const codes = (answers: Awaited<ReturnType<typeof writes>>) => answers.map(({ errors }) => errors?.[0]?.extensions.code);

  it('is waited for while everything else continues', async () => {
    other.exec('BEGIN IMMEDIATE');
    let done = false;
    const waiting = writes().finally(() => (done = true));
    for (const until = Date.now() + 1_000; Date.now() < until;)
      expect((await files.send('{files{items{id}}}')).errors).toBeUndefined();
    expect(done).toBe(false);
    other.exec('COMMIT');
    expect(codes(await waiting)).toEqual([undefined, undefined, undefined]);
  });

  it('for long is reported in time, and everything works once it is free', async () => {
    other.exec('BEGIN IMMEDIATE');
    const began = Date.now();
    expect(codes(await writes())).toEqual(['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'SQLITE_BUSY']);
    expect(Date.now() - began).toBeLessThan(REFUSED_MS);
    expect((await files.send('{files{items{id}}}')).errors).toBeUndefined();
    other.exec('COMMIT');
    expect(codes(await writes())).toEqual([undefined, undefined, undefined]);
  });
});

describe('a database file that another process recovers or closes', () => {
  it('is opened once it is free', async () => {
    const file = join(dataFolder(), 'locked.db');
    const other = openSqlite('the lock of the database is the subject', file);
    other.pragma('journal_mode = WAL');
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec('CREATE TABLE "T" ("x" TEXT)');
    const refusals: unknown[] = [];
    const opening = onceUnlocked(() =>
      connectDatabase('the opening of the database is the subject', `file:${file}`, 1).catch((error: unknown) => {
        refusals.push(error);
        throw error;
      }),
    );
    await until(() => refusals.length > 0); // longer than SQLite itself waits
    other.close();
    await (await opening).$disconnect();
  });
});
