import { Deployment } from './support/process.js';

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
