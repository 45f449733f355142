import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { BASELINE, REPLACED } from '../src/common/database/baseline.js';
import { Api } from './support/api.js';
import { openPostgres } from './support/behind-the-api.js';
import { Deployment } from './support/process.js';
import { NEWER } from './support/newer-schema.js';
import { until } from './support/websockets.js';

declare const databaseKind: string;

const CANCEL_REASON = '20261125060000_cancel_reason';
/** The migrations after the baseline, and what undoes them. */
const AFTER = [
  CANCEL_REASON,
  '20261125120000_events',
  '20261126120000_bounces',
  '20261127020000_log_streams',
  '20261127040000_email_domains',
  '20261127060000_email_headers',
  '20261127080000_suppressions',
  '20261127100000_email_ed25519',
  '20261128020000_email_send_at',
  '20261128040000_email_inline',
  '20261128060000_suppressions_by_address',
  '20261129000000_partials',
  '20261129020000_upload_rules',
  '20261129040000_folder_deletions',
  '20261129075000_redelivery',
  '20261129080500_waiting_events_limit',
  '20261130000000_languages_and_versions',
  '20261130020000_key_names',
  '20261201000000_list_orders',
  '20261201010000_version_stylesheets',
];
const LATER = '20990101000000_more';
const CONTRACT = '20990101000000_contract_99_0_0_drop_what_we_use';

describe('migrate', () => {
  let deployment: Deployment;
  beforeEach(async () => (deployment = await Deployment.create()));
  afterEach(() => deployment.remove());

  const applied = (name: string) =>
    deployment.query(
      'the migrations of the database are the subject',
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ('${name.slice(0, 36)}', 'of another release', '${name}', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 1)`,
    );
  const states = async () => {
    const { code, stdout } = await deployment.outcome('migrate', '--status');
    return { code, states: [...new Set(stdout.split('\n').map((line) => line.split('\t')[0]))] };
  };

  /** Makes the database one that release 0.2.0, or the one before it, made and migrated. */
  const madeBy020 = async (migrations: string[]) => {
    await deployment.command('migrate');
    for (const statement of NEWER) await deployment.query('the migrations of the database are the subject', statement);
    await deployment.query('the migrations of the database are the subject', 'DELETE FROM "_prisma_migrations"');
    for (const name of migrations) await applied(name);
  };

  it('lists pending migrations and prints their SQL without changing the database, then applies them', async () => {
    expect(await states()).toEqual({ code: 3, states: ['waiting'] });
    const sql = await deployment.command('migrate', '--dry-run');
    expect(sql).toMatch(/^-- 20261124000000_baseline_0_2_0$/m);
    expect(sql).toMatch(/CREATE TABLE "Tenant"/);
    const answer = deployment.query('the migrations of the database are the subject', 'SELECT 1 FROM "Tenant"').then(
      () => 'found',
      ({ message }: Error) => message,
    );
    expect(await answer).toMatch(/Tenant/);
    expect(await deployment.command('migrate')).toMatch(/^applied\t20261124000000_baseline_0_2_0$/m);
    expect(await states()).toEqual({ code: 0, states: ['applied'] });
  });

  it('takes over a database of 0.2.0 with its data, and keeps the names of the migrations that 0.2.0 knows', async () => {
    await madeBy020(REPLACED);
    await deployment.query(
      'the migrations of the database are the subject',
      `INSERT INTO "Tenant" ("id", "name", "createdAt") VALUES ('t', 'kept', CURRENT_TIMESTAMP)`,
    );
    expect(await states()).toEqual({ code: 3, states: ['waiting'] });
    expect(await deployment.command('migrate', '--dry-run')).not.toContain('CREATE TABLE "Tenant"');
    expect((await deployment.command('migrate')).split('\n')).toEqual([BASELINE, ...AFTER].map((name) => `applied\t${name}`));
    expect(await states()).toEqual({ code: 0, states: ['applied'] });
    expect(await deployment.query('the migrations of the database are the subject', 'SELECT "name" FROM "Tenant"')).toEqual([
      { name: 'kept' },
    ]);
    const names = await deployment.query(
      'the migrations of the database are the subject',
      'SELECT migration_name FROM "_prisma_migrations"',
    );
    expect(names).toEqual(expect.arrayContaining(REPLACED.map((name) => ({ migration_name: name }))));
    const server = deployment.start({ PORT: '0' });
    await server.ready();
    expect(server.output).not.toContain('"unknown"');
    expect(await server.stop()).toBe(0);
  });

  it('a start that migrates says so before and after, and one that makes or finds its database as it is does not', async () => {
    const first = deployment.start({ PORT: '0' });
    await first.ready();
    expect(await first.stop()).toBe(0);
    expect(first.output).not.toMatch(/migrat/);
    await deployment.remove();

    deployment = await Deployment.create();
    await madeBy020(REPLACED);
    const server = deployment.start({ PORT: '0' });
    await server.ready();
    expect(await server.stop()).toBe(0);
    const said = server.output.split('\n').filter((line) => /migrat/.test(line));
    expect(said.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ migrations: AFTER.length + 1, msg: expect.stringContaining('a backup from before') }),
      expect.objectContaining({ migrations: [BASELINE, ...AFTER], msg: 'the database is migrated' }),
    ]);
  });

  it('refuses a database of a release before 0.2.0 in one line that names the remedy, as doctor does', async () => {
    await madeBy020(REPLACED.slice(0, -1));
    const way = 'a release before 0.2.0: start 0.2.0 once with this database, then this release';
    const server = deployment.start({ PORT: '0' });
    expect(await server.exited).toBe(1);
    expect(server.output).toBe(`platform-services did not start: DATABASE_URL names a database of ${way}\n`);
    expect(await deployment.outcome('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining(way) });
    expect(await deployment.outcome('migrate')).toMatchObject({ code: 1, stderr: expect.stringContaining(way) });
    expect(
      await deployment.query(
        'the migrations of the database are the subject',
        `SELECT 1 AS "one" FROM "_prisma_migrations" WHERE migration_name = '${BASELINE}'`,
      ),
    ).toEqual([]);
  });

  it.each([
    ['are still written', 'UPDATE "LogFormat" SET "leafVersion" = 1'],
    [
      'are left',
      `INSERT INTO "Log" ("id", "tenantId", "documentId", "documentType", "dateTime", "details", "createdAt", "leafHash", "mac")
       VALUES ('1', 't', 'd', 't', CURRENT_TIMESTAMP, '{}', CURRENT_TIMESTAMP, '', '')`,
    ],
    [
      'are left with edits',
      `INSERT INTO "LogEdit" ("id", "tenantId", "logId", "dateTime", "field", "leafHash", "mac")
       VALUES ('1', 't', '1', CURRENT_TIMESTAMP, 'comment', '', '')`,
    ],
  ])('refuses a database of 0.2.0 in whose log records without salt %s', async (_, statement) => {
    await madeBy020(REPLACED);
    await deployment.query('the migrations of the database are the subject', statement);
    const { code, stderr } = await deployment.outcome('migrate');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/has records without salt, as 0\.1\.0 wrote them: run .* of 0\.2\.0/),
    ]);
    expect(await states()).toEqual({ code: 3, states: ['waiting'] });
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

(databaseKind === 'postgresql' ? describe : describe.skip)('a migration whose table is in use for long', () => {
  let deployment: Deployment;
  beforeEach(async () => (deployment = await Deployment.create({ PORT: '0' })));
  afterEach(() => deployment.remove());

  it('yields to requests of running nodes repeatedly, and completes once the table is free', async () => {
    const server = deployment.start();
    const messages = new Api(
      await server.ready(),
      'websockets-manager',
      await deployment.keys('create', '--tenant', 't', '--scope', ALL_SCOPES),
    );
    await deployment.query('the migrations of the database are the subject', NEWER[0]!);
    await deployment.query(
      'the migrations of the database are the subject',
      `DELETE FROM "_prisma_migrations" WHERE migration_name = '${CANCEL_REASON}'`,
    );
    const report = await openPostgres('no API holds a lock of a table', deployment.settings.DATABASE_URL!);
    await report.query('BEGIN; LOCK TABLE "Message" IN ROW EXCLUSIVE MODE');

    const migrating = deployment.outcome('migrate');
    const isWaiting = async () =>
      (
        await deployment.query(
          'the migrations of the database are the subject',
          `SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'`,
        )
      ).length > 0;
    for (let attempt = 1; attempt <= 2; attempt++) {
      await until(isWaiting);
      await messages.ask('{messageActivity(hours:1){countedFrom}}');
      await until(async () => !(await isWaiting()));
    }
    await report.query('COMMIT');
    await report.end();
    expect(await migrating).toEqual({
      code: 0,
      stdout: `applied\t${CANCEL_REASON}`,
      stderr: expect.stringMatching(/^a migration waits, and is tried again for 10 minutes: .*another session holds a lock/),
    });
  });
});
