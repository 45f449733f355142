// A page from the middle of a million files, compared with the first page: pagination is by key, so depth must not affect the cost. On
// SQLite; with TEST_DATABASE_URL also on PostgreSQL, in a separate database. Left out: filters, concurrent callers, and concurrent
// writers. Rows are inserted by SQL and have no content.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FilesApi } from './support/files-api.mjs';
import { hasPostgres, query, withPostgres } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';
import { createKey, dataDir, start } from './support/servers.mjs';

const FILES = Number(process.env.BENCH_FILES ?? 1_000_000);
const TARGET = 1.5;
const ROUNDS = 200;
const PAGE = 'query($nextToken:String,$limit:Int){files(nextToken:$nextToken,limit:$limit){items{id name} nextToken}}';
const COLUMNS = '"id", "tenantId", "contentType", "status", "public", "attributes", "createdAt", "updatedAt"';

const rows = [await measureSqlite()];
if (hasPostgres) rows.push(await measurePostgres());
report(`files: a page of 100 at depth ${FILES}, ms, median of ${ROUNDS}`, rows);

async function measureSqlite() {
  const server = await start('dist/bundle/main.js');
  const key = createKey();
  await server.stop();
  const db = new Sqlite(join(dataDir, 'platform-services.db'));
  const { id } = db.prepare(`SELECT "id" FROM "Tenant" WHERE "name" = 'bench'`).get();
  const made = `printf('%08x-%04x-7000-8000-%012x', i / 65536, i % 65536, i)`;
  db.prepare(
    `INSERT INTO "File" (${COLUMNS}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT ${made}, ?, 'text/plain', 'uploading', 0, '[]', i, i FROM n`,
  ).run(FILES, id);
  db.exec('ANALYZE');
  db.close();
  return measure('SQLite', key, {});
}

function measurePostgres() {
  return withPostgres(async (own) => {
    const settings = { DATABASE_URL: own };
    const server = await start('dist/bundle/main.js', settings);
    const key = createKey(settings);
    await server.stop();
    // Skips the usage counter: no application changes one usage row a million times in one transaction.
    await query(
      own,
      `ALTER TABLE "File" DISABLE TRIGGER USER;
       INSERT INTO "File" (${COLUMNS})
       SELECT lpad(to_hex(i / 65536), 8, '0') || '-' || lpad(to_hex(i % 65536), 4, '0') || '-7000-8000-' || lpad(to_hex(i), 12, '0'),
         (SELECT "id" FROM "Tenant" WHERE "name" = 'bench'), 'text/plain', 'uploading', false, '[]', now(), now()
       FROM generate_series(1, ${FILES}) AS i`,
    );
    await query(own, 'VACUUM ANALYZE "File"');
    return await measure('PostgreSQL', key, settings);
  });
}

/** Alternates the first page and the last but one, so that other load on the machine affects both. */
async function measure(what, key, settings) {
  const server = await start('dist/bundle/main.js', settings);
  const api = new FilesApi(server.address, key);
  const page = async (variables) => (await api.ask(PAGE, variables)).files;
  let nextToken = null;
  for (let seen = 0; seen + 1000 < FILES; seen += 1000) ({ nextToken } = await page({ nextToken, limit: 1000 }));
  const times = { first: [], deep: [] };
  for (let round = -20; round < ROUNDS; round++) {
    for (const [name, token] of Object.entries({ first: null, deep: nextToken })) {
      const startedAt = performance.now();
      const { items } = await page({ nextToken: token, limit: 100 });
      if (items.length !== 100) throw new Error(`a page had ${items.length} files`);
      if (round >= 0) times[name].push(performance.now() - startedAt);
    }
  }
  await server.stop();
  const [first, deep] = [median(times.first), median(times.deep)];
  return {
    what,
    ours: deep.toFixed(2),
    peer: first.toFixed(2),
    ratio: (deep / first).toFixed(2),
    target: `< ${TARGET}`,
    met: deep / first < TARGET,
  };
}
