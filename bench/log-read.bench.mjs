// A page deep in a log of a million records, compared with the first page, and the memory used by an export of all of them. On SQLite;
// with TEST_DATABASE_URL also on PostgreSQL, in a separate database. Left out: filters, concurrent callers, concurrent writers, and
// sealing: rows are inserted by SQL, without MACs.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { GraphqlApi } from './support/graphql-api.mjs';
import { canMeasure, residentMib, resetPeak } from './support/process-usage.mjs';
import { hasPostgres, query, withPostgres } from './support/postgres.mjs';
import { median, report } from './support/report.mjs';
import { createKey, dataDir, start } from './support/servers.mjs';

/** Disables sealing: seeded records have no MACs, and the sealer would read all of them every second. */
const UNSEALED = { NODE_OPTIONS: `--import ${new URL('./support/without-seals.mjs', import.meta.url).pathname}` };
const LOGS = Number(process.env.BENCH_LOGS ?? 1_000_000);
const TARGET_PAGE = 1.5;
const TARGET_MIB = 100;
const ROUNDS = 200;
const PAGE = 'query($nextToken:String,$limit:Int){logs(nextToken:$nextToken,limit:$limit){items{id documentId} nextToken}}';
const COLUMNS = '"id", "tenantId", "documentId", "documentType", "dateTime", "details", "createdAt", "leafHash", "mac"';
const DETAILS = JSON.stringify({ attributeNewValue: { raw: '2', display: '2 EUR' }, author: { name: 'Ada Lovelace' } });

const rows = [...(await measureSqlite())];
if (hasPostgres) rows.push(...(await measurePostgres()));
report(`log-read: ${LOGS} records; pages of 100 in ms, the first as peer; growth of memory while all are exported in MiB`, rows);

async function measureSqlite() {
  const server = await start('dist/main.js', UNSEALED);
  const key = createKey();
  await server.stop();
  const db = new Sqlite(join(dataDir, 'platform-services.db'));
  const { id } = db.prepare(`SELECT "id" FROM "Tenant" WHERE "name" = 'bench'`).get();
  db.prepare(
    `INSERT INTO "Log" (${COLUMNS}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT printf('%08x-%04x-7000-8000-%012x', i / 65536, i % 65536, i), ?, 'd' || (i % 1000), 'type', i * 1000, ?, i, '', '' FROM n`,
  ).run(LOGS, id, DETAILS);
  db.close();
  return measure('SQLite', key, {});
}

function measurePostgres() {
  return withPostgres(async (own) => {
    const settings = { DATABASE_URL: own };
    const server = await start('dist/main.js', { ...settings, ...UNSEALED });
    const key = createKey(settings);
    await server.stop();
    await query(
      own,
      `INSERT INTO "Log" (${COLUMNS})
       SELECT lpad(to_hex(i / 65536), 8, '0') || '-' || lpad(to_hex(i % 65536), 4, '0') || '-7000-8000-' || lpad(to_hex(i), 12, '0'),
         (SELECT "id" FROM "Tenant" WHERE "name" = 'bench'), 'd' || (i % 1000), 'type', timestamp '2024-01-01' + i * interval '1 s',
         '${DETAILS}', now(), '', '' FROM generate_series(1, ${LOGS}) AS i`,
    );
    await query(own, 'VACUUM ANALYZE "Log"');
    return await measure('PostgreSQL', key, settings);
  });
}

async function measure(what, key, settings) {
  const server = await start('dist/main.js', { ...settings, ...UNSEALED });
  const api = new GraphqlApi(server.address, 'document-log', key);
  const rows = [await measurePages(what, async (variables) => (await api.ask(PAGE, variables)).logs)];
  if (canMeasure) rows.push(await measureExport(what, server, key));
  await server.stop();
  return rows;
}

/** Alternates the first page and the last but one, so that other load on the machine affects both. */
async function measurePages(what, page) {
  let nextToken = null;
  for (let seen = 0; seen + 1000 < LOGS; seen += 1000) ({ nextToken } = await page({ nextToken, limit: 1000 }));
  const times = { first: [], deep: [] };
  for (let round = -20; round < ROUNDS; round++) {
    for (const [name, token] of Object.entries({ first: null, deep: nextToken })) {
      const startedAt = performance.now();
      const { items } = await page({ nextToken: token, limit: 100 });
      if (items.length !== 100) throw new Error(`a page had ${items.length} records`);
      if (round >= 0) times[name].push(performance.now() - startedAt);
    }
  }
  const [first, deep] = [median(times.first), median(times.deep)];
  const figures = { ours: deep.toFixed(2), peer: first.toFixed(2), ratio: (deep / first).toFixed(2) };
  return { what: `${what}, page`, ...figures, target: `<= ${TARGET_PAGE}`, met: deep / first <= TARGET_PAGE };
}

async function measureExport(what, server, key) {
  const before = residentMib(server.pid);
  resetPeak(server.pid);
  const response = await fetch(`${server.address}/document-log/export`, { headers: { 'x-api-key': key } });
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines++;
  if (lines !== LOGS) throw new Error(`the export had ${lines} records`);
  const growth = residentMib(server.pid, 'VmHWM') - before;
  return { what: `${what}, export`, ours: growth.toFixed(0), target: `< ${TARGET_MIB}`, met: growth < TARGET_MIB };
}
