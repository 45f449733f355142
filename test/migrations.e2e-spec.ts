import { Client } from 'pg';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Deployment } from './support/process.js';
import { until } from './support/websockets.js';

declare const databaseKind: string;

const FOLDERS = '20261123040000_file_folders';
const LATER = '20990101000000_more';
const CONTRACT = '20990101000000_contract_99_0_0_drop_what_we_use';

describe('migrate', () => {
  let deployment: Deployment;
  beforeEach(async () => (deployment = await Deployment.create()));
  afterEach(() => deployment.remove());

  const applied = (name: string) =>
    deployment.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ('later', 'later', '${name}', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 1)`,
    );
  const states = async () => {
    const { code, stdout } = await deployment.outcome('migrate', '--status');
    return { code, states: [...new Set(stdout.split('\n').map((line) => line.split('\t')[0]))] };
  };

  it('tells what waits and prints its SQL without touching the database, then applies it', async () => {
    expect(await states()).toEqual({ code: 3, states: ['waiting'] });
    const sql = await deployment.command('migrate', '--dry-run');
    expect(sql).toMatch(/^-- 20261121000000_foundation$/m);
    expect(sql).toMatch(/CREATE TABLE "Tenant"/);
    const looked = deployment.query('SELECT 1 FROM "Tenant"').then(
      () => 'found',
      ({ message }: Error) => message,
    );
    expect(await looked).toMatch(/Tenant/);
    expect(await deployment.command('migrate')).toMatch(/^applied\t20261121000000_foundation$/m);
    expect(await states()).toEqual({ code: 0, states: ['applied'] });
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

  it('gives way to the callers of running nodes again and again, and is done once it can be', async () => {
    const server = deployment.start();
    const files = new Api(
      await server.ready(),
      'file-management',
      await deployment.keys('create', '--tenant', 't', '--scope', ALL_SCOPES),
    );
    await deployment.query('DROP INDEX "File_tenantId_folder_id_idx"');
    await deployment.query(`DELETE FROM "_prisma_migrations" WHERE migration_name = '${FOLDERS}'`);
    const report = new Client({ connectionString: deployment.settings.DATABASE_URL! });
    await report.connect();
    await report.query('BEGIN; LOCK TABLE "File" IN ROW EXCLUSIVE MODE');

    const migrating = deployment.outcome('migrate');
    const isWaiting = async () =>
      (await deployment.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'ShareLock'`)).length > 0;
    for (let attempt = 1; attempt <= 2; attempt++) {
      await until(isWaiting);
      await files.ask('mutation{createFile{id}}');
      await until(async () => !(await isWaiting()));
    }
    await report.query('COMMIT');
    await report.end();
    expect(await migrating).toEqual({
      code: 0,
      stdout: `applied\t${FOLDERS}`,
      stderr: expect.stringMatching(/^a migration waits, and is tried again for 10 minutes: .*another session holds a lock/),
    });
  });
});
