// @only postgresql: only a server has a standby
// @nightly: a primary is killed and frozen again and again
import type { AllTenants } from '../src/common/database/database.js';
import { sql } from '../src/common/database/sql/sql.js';
import { isDatabaseUnavailable } from '../src/common/base/database-faults.js';
import { PostgresPair } from './nodes/postgres-server.mjs';
import { Api } from './support/api.js';
import { connectDatabase, queryPostgres } from './support/behind-the-api.js';
import { CREATE, input } from './support/document-log.js';
import { each, graphql, operationsOf, outcomes } from './support/operations.js';
import { PgBouncer } from './support/pgbouncer.js';
import { describeWithOwnPostgres } from './support/postgres.js';
import { Deployment } from './support/process.js';
import { FaultyProxy } from './support/s3.js';
import { TestServer } from './support/server.js';
import { until } from './support/websockets.js';

/** Promised time limit of a refusal. */
const REFUSED_MS = 12_000;
const CREATE_FILE = 'mutation($input:CreateFileInput){createFile(input:$input){id}}';
const TAKES_NO_CHANGES = {
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringMatching(/^The database accepts no changes at present/),
};
/** Operations that only read. */
const READING = [
  'file',
  'logs',
  'verifyLogs',
  'export',
  'download',
  'ready',
  'version with a key that is not known yet',
  'render',
];

const healthOf = async ({ address }: TestServer) => {
  const response = await fetch(`${address}/health/ready`);
  const { status, checks } = (await response.json()) as { status: string; checks: Record<string, string> };
  return [response.status, status, checks.database];
};
const internalErrors = ({ logLines }: TestServer) => logLines.filter((line) => /internal error|INTERNAL_SERVER_ERROR/.test(line));

describeWithOwnPostgres('a PostgreSQL with a standby that has each change before it is confirmed', () => {
  let pair: PostgresPair;
  let proxy: FaultyProxy;
  let server: TestServer;
  beforeAll(async () => {
    pair = await PostgresPair.start();
    proxy = await FaultyProxy.to(`http://127.0.0.1:${pair.primary.port}`);
    server = await TestServer.start({ DATABASE_URL: `postgresql://test@${new URL(proxy.endpoint).host}/postgres` });
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await pair.remove();
  });

  const operations = () => operationsOf(server);
  const worksAgain = async (all: Awaited<ReturnType<typeof operations>>) => {
    const { deleteFile: _, ...repeatable } = all;
    const works = async () => Object.values((await outcomes(repeatable)).seen).every((outcome) => outcome === 'ok');
    await until(works, 15_000);
  };

  it('fails over: callers are refused in time, no answered change is lost, and the log verifies', async () => {
    const key = await server.createKey();
    const [files, logs] = [new Api(server.address, 'file-management', key), new Api(server.address, 'document-log', key)];
    const answered = { files: [] as string[], records: [] as string[] };
    const refusals = new Set<unknown>();
    let slowestMs = 0;
    let isOver = false;
    let number = 0;
    const writing = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const name = `n${(number += 1)}`;
        const began = Date.now();
        const [file, record] = await Promise.all([
          files.send(CREATE_FILE, { input: { name } }),
          logs.send(CREATE, { input: input({ documentId: name, idempotencyKey: name }) }),
        ]);
        slowestMs = Math.max(slowestMs, Date.now() - began);
        if (!file.errors) answered.files.push(file.data.createFile.id);
        if (!record.errors) answered.records.push(name);
        for (const { errors } of [file, record]) if (errors) refusals.add(errors[0]!.extensions.code);
      }
    });
    await until(() => answered.records.length > 100);
    await pair.losePrimary();
    await until(() => refusals.size > 0);
    await pair.promote();
    proxy.lead(pair.primary.port);
    const before = answered.records.length;
    await until(() => answered.records.length > before + 100);
    isOver = true;
    await Promise.all(writing);

    expect([...refusals]).toEqual(['SERVICE_UNAVAILABLE']);
    expect(slowestMs).toBeLessThan(REFUSED_MS);
    const stored = new Set<string>();
    for (let nextToken: string | null = null; ;) {
      const page: any = await logs.ask('query($t:String){logs(limit:1000,nextToken:$t){nextToken items{documentId}}}', {
        t: nextToken,
      });
      for (const { documentId } of page.logs.items) {
        expect(stored).not.toContain(documentId);
        stored.add(documentId);
      }
      if (!(nextToken = page.logs.nextToken)) break;
    }
    expect(answered.records.filter((name) => !stored.has(name))).toEqual([]);
    const found = await Promise.all(answered.files.map((id) => files.ask('query($id:ID!){file(ID:$id){id}}', { id })));
    expect(found.map(({ file }) => file?.id)).toEqual(answered.files);
    await until(async () => (await logs.ask('{verifyLogs{valid unsealedRecords}}')).verifyLogs.unsealedRecords === 0);
    expect((await logs.ask('{verifyLogs{valid checkedRecords}}')).verifyLogs).toEqual({
      valid: true,
      checkedRecords: stored.size,
    });
    expect(internalErrors(server)).toEqual([]);
    await pair.addStandby();
  });

  it('whose host name leads to the standby for a while makes the node refuse, until it leads back', async () => {
    const all = await operations();
    proxy.lead(pair.standby!.port);
    proxy.cut();
    await outcomes(all); // by then, all former connections are known to be gone
    const refused = await outcomes(all);
    expect(refused.seen).toEqual(each(all, 'SERVICE_UNAVAILABLE'));
    expect(refused.tookMs).toBeLessThan(REFUSED_MS);
    expect(await healthOf(server)).toEqual([503, 'unavailable', 'unavailable']);
    proxy.lead(pair.primary.port);
    await worksAgain(all);
    expect(await healthOf(server)).toEqual([200, expect.any(String), 'ok']);
    expect(internalErrors(server)).toEqual([]);
  });

  it('set to read-only makes a node refuse changes and serve reads, and recovers', async () => {
    const all = await operations();
    const files = await server.api('file-management');
    await pair.primary.run('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
    await until(async () => (await healthOf(server))[2] === 'degraded');
    const { seen } = await outcomes(all);
    for (const [name, outcome] of Object.entries(seen)) {
      expect([name, outcome]).toEqual([name, READING.includes(name) ? 'ok' : 'SERVICE_UNAVAILABLE']);
    }
    expect(await files.refusal('mutation{createFile{id}}')).toEqual(TAKES_NO_CHANGES);
    expect(await healthOf(server)).toEqual([200, 'degraded', 'degraded']);
    await pair.primary.run(
      'SET default_transaction_read_only = off',
      'ALTER SYSTEM RESET default_transaction_read_only',
      'SELECT pg_reload_conf()',
    );
    await worksAgain(all);
    expect(internalErrors(server)).toEqual([]);
  });

  it('is named by doctor and by a node that starts on the standby', async () => {
    const deployment = await Deployment.create({ PORT: '0', DATABASE_URL: pair.standby!.urlOf('postgres') });
    try {
      const node = deployment.start();
      expect(await node.exited).toBe(1);
      expect(node.output).toMatch(/: DATABASE_URL names a database that accepts no changes: name the primary if it is a standby/);
      expect((await deployment.outcome('doctor')).stdout).toMatch(/failed +database.*accepts no changes/);
    } finally {
      await deployment.remove();
    }
  });

  describe('behind PgBouncer', () => {
    let pooler: PgBouncer;
    let database: AllTenants;
    beforeAll(async () => {
      pooler = await PgBouncer.start(5, pair.primary.urlOf('postgres'));
      database = await connectDatabase(
        'the connections of the client are the subject',
        pooler.before(pair.primary.urlOf('postgres')),
        5,
      );
      await database.$cells(sql`CREATE TABLE "Kept" (n int)`);
    });
    afterAll(async () => {
      await database.$disconnect();
      await pooler.stop();
    });

    it('that lost its standby reports a change that only the primary has as unknown', async () => {
      const direct = await server.api('file-management');
      await pair.loseStandby();
      const insert = sql`INSERT INTO "Kept" VALUES (1) RETURNING n`;
      const insertInTransaction = () => database.$transaction((transaction) => transaction.$queryRaw(insert));
      const pooled = [database.$cells(insert), insertInTransaction(), insertInTransaction()];
      const [refusal, ...faults] = await Promise.all([
        graphql(direct, 'mutation{createFile{id}}'),
        ...pooled.map((write) => (write as Promise<unknown>).catch((error: unknown) => error)),
      ]);
      expect([refusal, ...faults.map(isDatabaseUnavailable)]).toEqual(['SERVICE_UNAVAILABLE', true, true, true]);
      expect(await queryPostgres('no API reads this table', pair.primary.urlOf('postgres'), 'SELECT n FROM "Kept"')).toEqual([
        { n: 1 },
        { n: 1 },
        { n: 1 },
      ]);
      await pair.addStandby();
      const later = await Promise.all(Array.from({ length: 20 }, () => database.$cells(insert)));
      expect(later).toEqual(Array.from({ length: 20 }, () => [[1]]));
    });

    it('without PostgreSQL is reported as unavailable, and used again once it is back', async () => {
      const ask = () => database.$cells(sql`SELECT n FROM "Kept"`).catch((error: unknown) => error);
      await pair.primary.end();
      for (const error of await Promise.all(Array.from({ length: 10 }, ask))) expect(isDatabaseUnavailable(error)).toBe(true);
      for (const error of await Promise.all(Array.from({ length: 10 }, ask))) expect(isDatabaseUnavailable(error)).toBe(true);
      await pair.primary.begin();
      await until(async () => Array.isArray(await ask()), 30_000);
    });
  });
});

describeWithOwnPostgres('a node that knows both servers of a pair', () => {
  let pair: PostgresPair;
  let server: TestServer;
  let files: Api;
  beforeAll(async () => {
    pair = await PostgresPair.start();
    const ports = [pair.standby!.port, pair.primary.port];
    const DATABASE_URL = `postgresql://test@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
    server = await TestServer.start({ DATABASE_URL });
    files = await server.api('file-management');
  });
  afterAll(async () => {
    await server.stop();
    await pair.remove();
  });
  const create = () => graphql(files, 'mutation{createFile{id}}');

  it('starts with the primary, whichever comes first in the list, and moves on a failover without losing an answered change', async () => {
    const { id } = (await files.ask('mutation{createFile{id}}')).createFile;
    await pair.losePrimary();
    expect(await create()).toBe('SERVICE_UNAVAILABLE');
    await pair.promote();
    await until(async () => (await create()) === undefined);
    expect((await files.ask(`{file(ID:"${id}"){id}}`)).file).toEqual({ id });
    expect(await healthOf(server)).toEqual([200, expect.any(String), 'ok']);
    expect(internalErrors(server)).toEqual([]);
  });
});

describeWithOwnPostgres('a node whose primary is frozen while its standby takes over', () => {
  it('refuses callers in time, finds the new primary, and ignores the old one when it wakes up', async () => {
    const pair = await PostgresPair.start();
    const frozen = await FaultyProxy.to(`http://127.0.0.1:${pair.primary.port}`);
    const hosts = [new URL(frozen.endpoint).host, `127.0.0.1:${pair.standby!.port}`];
    const server = await TestServer.start({ DATABASE_URL: `postgresql://test@${hosts.join(',')}/postgres` });
    const files = await server.api('file-management');
    const create = () => graphql(files, 'mutation{createFile{id}}');
    expect(await create()).toBeUndefined();
    frozen.swallow();
    const former = pair.primary;
    await pair.promote();
    const began = Date.now();
    const first = await Promise.all(Array.from({ length: 30 }, create));
    expect(Date.now() - began).toBeLessThan(REFUSED_MS);
    // None is refused where background work met the silence, and found the new primary, while that was promoted.
    expect(first.filter((code) => code !== undefined && code !== 'SERVICE_UNAVAILABLE')).toEqual([]);
    await until(async () => (await create()) === undefined, 30_000);
    frozen.pass();
    expect(await Promise.all(Array.from({ length: 60 }, create))).toEqual(Array.from({ length: 60 }, () => undefined));
    const [{ files: kept }] = await queryPostgres(
      'the server that answers is the former one',
      pair.primary.urlOf('postgres'),
      'SELECT count(*)::int AS files FROM "File"',
    );
    expect(kept).toBeGreaterThan(60);
    await server.stop();
    await Promise.all([frozen.close(), pair.remove(), former.remove()]);
  });
});
