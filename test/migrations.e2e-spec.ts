import { readdirSync } from 'node:fs';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { openPostgres } from './support/behind-the-api.js';
import { NEXT, nextRelease } from './support/next-release.js';
import { Deployment } from './support/process.js';
import { until } from './support/websockets.js';

declare const databaseKind: string;

const REASON = 'the migrations of the database are the subject';
const BASELINE = '20261129143000_baseline';
/** All migrations of this build, in order. */
const OWN = readdirSync(new URL(`../prisma/${databaseKind}/migrations`, import.meta.url))
  .filter((name) => /^\d/.test(name))
  .sort();
const LATER = '20990101000000_more';
const CONTRACT = '20990101000000_contract_99_0_0_drop_what_we_use';
/** Histories of databases made before the first release. */
const EARLIER: [string, string[]][] = [
  ['0.1.0', ['20261121000000_foundation', '20261121010000_file_management']],
  ['0.2.0', ['20261121000000_foundation', '20261123050000_mail_contents']],
  [
    'a build after 0.2.0',
    ['20261124000000_baseline_0_2_0', '20261125060000_cancel_reason', '20261201010000_version_stylesheets'],
  ],
  ['0.2.0 and a build after it', ['20261121000000_foundation', '20261124000000_baseline_0_2_0', '20261201000000_list_orders']],
];
const REFUSAL =
  'DATABASE_URL names a database created before 0.3.0, the first release, and cannot be migrated: export its logs ' +
  '(GET /document-log/export?format=bundle) and back it up with the build that created it, then start with a new database ' +
  '(docs/upgrade.md#before-030)';

describe('migrate', () => {
  let deployment: Deployment;
  let next: ReturnType<typeof nextRelease>;
  beforeAll(() => (next = nextRelease('ALTER TABLE "Tenant" ADD COLUMN "next" TEXT;\n')));
  afterAll(() => next.remove());
  beforeEach(async () => (deployment = await Deployment.create()));
  afterEach(() => deployment.remove());

  const query = (sql: string) => deployment.query(REASON, sql);
  const applied = (name: string) =>
    query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ('${name.slice(0, 36)}', 'of another release', '${name}', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 1)`,
    );
  const states = async () => {
    const { code, stdout } = await deployment.outcome('migrate', '--status');
    return { code, states: [...new Set(stdout.split('\n').map((line) => line.split('\t')[0]))] };
  };
  const tenants = () => query('SELECT "name" FROM "Tenant"');
  /** Reads all tables, indexes and triggers with the recorded migrations. */
  const everything = async () => [
    await query(
      databaseKind === 'sqlite'
        ? 'SELECT * FROM sqlite_master ORDER BY "name"'
        : `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
    ),
    await query('SELECT * FROM "_prisma_migrations" ORDER BY migration_name'),
  ];

  it('lists pending migrations and prints their SQL without changing the database, then applies them', async () => {
    expect(await states()).toEqual({ code: 3, states: ['waiting'] });
    const sql = await deployment.command('migrate', '--dry-run');
    expect(sql).toMatch(new RegExp(`^-- ${BASELINE}$`, 'm'));
    expect(sql).toMatch(/CREATE TABLE "Tenant"/);
    const answer = query('SELECT 1 FROM "Tenant"').then(
      () => 'found',
      ({ message }: Error) => message,
    );
    expect(await answer).toMatch(/Tenant/);
    expect(await deployment.command('migrate')).toBe(OWN.map((name) => `applied\t${name}`).join('\n'));
    expect(await states()).toEqual({ code: 0, states: ['applied'] });
  });

  it('adds the migrations of the next release to a database with data, on which this release starts again', async () => {
    await deployment.keys('create', '--tenant', 'kept', '--scope', ALL_SCOPES);
    const { build } = deployment;
    deployment.build = next.folder;
    expect(await states()).toEqual({ code: 3, states: ['applied', 'waiting'] });
    const sql = await deployment.command('migrate', '--dry-run');
    expect(sql).toBe(`-- ${NEXT}\nALTER TABLE "Tenant" ADD COLUMN "next" TEXT;`);
    expect(await deployment.command('migrate')).toBe(`applied\t${NEXT}`);
    expect(await states()).toEqual({ code: 0, states: ['applied'] });
    expect(await query('SELECT "name", "next" FROM "Tenant"')).toEqual([{ name: 'kept', next: null }]);

    deployment.build = build;
    expect(await states()).toEqual({ code: 3, states: ['applied', 'unknown'] });
    const server = deployment.start({ PORT: '0' });
    await server.ready();
    expect(server.output).toContain(`"unknown":["${NEXT}"]`);
    expect(await server.stop()).toBe(0);
    expect(await tenants()).toEqual([{ name: 'kept' }]);
  });

  it('is logged before and after by a start that migrates, and by no other', async () => {
    const first = deployment.start({ PORT: '0' });
    await first.ready();
    expect(await first.stop()).toBe(0);
    expect(first.output).not.toMatch(/migrat/);

    deployment.build = next.folder;
    const server = deployment.start({ PORT: '0' });
    await server.ready();
    expect(await server.stop()).toBe(0);
    const said = server.output.split('\n').filter((line) => /migrat/.test(line));
    expect(said.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ migrations: 1, msg: expect.stringContaining('only an earlier backup restores') }),
      expect.objectContaining({ migrations: [NEXT], msg: 'the database is migrated' }),
    ]);
  });

  it.each(EARLIER)('refuses a database of %s in each command, names the way and changes nothing', async (_, names) => {
    await deployment.keys('create', '--tenant', 'kept', '--scope', ALL_SCOPES);
    await query('DELETE FROM "_prisma_migrations"');
    for (const name of names) await applied(name);
    const before = await everything();
    const server = deployment.start({ PORT: '0' });
    expect(await server.exited).toBe(1);
    expect(server.output).toBe(`platform-services did not start: ${REFUSAL}\n`);
    expect(await deployment.outcome('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining(REFUSAL) });
    for (const args of [['migrate'], ['migrate', '--status'], ['migrate', '--dry-run'], ['tenants', 'list']]) {
      const { code, stdout, stderr } = await deployment.outcome(...args);
      expect({ args, code, stdout, stderr }).toEqual({ args, code: 1, stdout: '', stderr: expect.stringContaining(REFUSAL) });
    }
    expect(await everything()).toEqual(before);
    expect(await tenants()).toEqual([{ name: 'kept' }]);
  });

  it('names migrations of a later release, with which a node starts and warns', async () => {
    await deployment.command('migrate');
    await applied(LATER);
    expect(await states()).toEqual({ code: 3, states: ['applied', 'unknown'] });
    const server = deployment.start({ PORT: '0' });
    await server.ready();
    expect(server.output).toContain(`"unknown":["${LATER}"]`);
    expect(await server.stop()).toBe(0);
  });

  it('refuses a database from which a later release removed what this one uses, in one clear line', async () => {
    await deployment.command('migrate');
    await applied(CONTRACT);
    const server = deployment.start({ PORT: '0' });
    expect(await server.exited).toBe(1);
    expect(server.output).toMatch(
      /^platform-services did not start: DATABASE_URL names a database for release 99\.0\.0 and later/,
    );
    expect(server.output.trimEnd()).not.toContain('\n');
  });
});

(databaseKind === 'postgresql' ? describe : describe.skip)('a migration of a table that is in use for long', () => {
  let deployment: Deployment;
  let next: ReturnType<typeof nextRelease>;
  beforeEach(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    next = nextRelease('ALTER TABLE "Message" ADD COLUMN "next" TEXT;\n');
  });
  afterEach(async () => {
    await deployment.remove();
    next.remove();
  });

  it('yields to requests of running nodes repeatedly, and completes once the table is free', async () => {
    const server = deployment.start();
    const messages = new Api(
      await server.ready(),
      'websockets-manager',
      await deployment.keys('create', '--tenant', 't', '--scope', ALL_SCOPES),
    );
    const report = await openPostgres('no API holds a lock of a table', deployment.settings.DATABASE_URL!);
    await report.query('BEGIN; LOCK TABLE "Message" IN ROW EXCLUSIVE MODE');

    deployment.build = next.folder;
    const migrating = deployment.outcome('migrate');
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`;
    const isWaiting = async () => (await deployment.query(REASON, waiting)).length > 0;
    for (let attempt = 1; attempt <= 2; attempt++) {
      await until(isWaiting);
      await messages.ask('{messageActivity(hours:1){countedFrom}}');
      await until(async () => !(await isWaiting()));
    }
    await report.query('COMMIT');
    await report.end();
    expect(await migrating).toEqual({
      code: 0,
      stdout: `applied\t${NEXT}`,
      stderr: expect.stringMatching(/^a migration is blocked; retrying for 10 minutes: .*another session holds a lock/),
    });
  });
});
