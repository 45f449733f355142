// @only postgresql: the faults are those of a server and of the network to it
// @nightly: backends are terminated and answers are lost for longer than the limits of a node
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from './support/behind-the-api.js';
import { MixedLoad } from './support/mixed-load.js';
import { PostgresServer } from './nodes/postgres-server.mjs';
import { describeWithOwnPostgres } from './support/postgres.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { FaultyProxy } from './support/s3.js';
import { until } from './support/websockets.js';

const STEPS = 3;
const TERMINATED = 20;
/** The backends that are inside a transaction which changed something. */
const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL`;

describeWithOwnPostgres('a node under a load on all five services, whose PostgreSQL has faults', () => {
  let postgres: PostgresServer;
  let proxy: FaultyProxy;
  let deployment: Deployment;
  let load: MixedLoad;
  let server: ServerProcess;
  let address: string;

  beforeAll(async () => {
    [postgres, load] = await Promise.all([PostgresServer.start(), MixedLoad.create()]);
    proxy = await FaultyProxy.to(`http://127.0.0.1:${postgres.port}`);
    const DATABASE_URL = `postgresql://test@${new URL(proxy.endpoint).host}/postgres`;
    deployment = await Deployment.create({ PORT: '0', ...load.settings, DATABASE_URL });
    server = deployment.start();
    address = await server.ready();
    await load.start(address, (await server.until(/psk_\w+(?=\n)/))!);
  });
  beforeEach(() => load.progress(STEPS));
  afterAll(async () => {
    await load.remove();
    await deployment.remove();
    await proxy.close();
    await postgres.remove();
  });

  const readiness = async () => (await fetch(`${address}/health/ready`)).status;
  const isReady = (status: number) => until(async () => (await readiness()) === status, 60_000);

  it('goes on after backends were terminated between the first change of a transaction and its commit', async () => {
    const session = await openPostgres('no API terminates a backend', postgres.urlOf('postgres'));
    for (let terminated = 0; terminated < TERMINATED; await sleep(5)) terminated += (await session.query(TERMINATE)).rowCount!;
    await session.end();
    await load.progress(STEPS);
    expect(await readiness()).toBe(200);
  });

  it.each([5_000, 15_000])('goes on after changes were carried out and their answers lost, for %i ms', async (lostMs) => {
    proxy.losesAnswers = true;
    await sleep(lostMs);
    if (lostMs > 12_000) expect(await readiness()).toBe(503);
    proxy.pass();
    await load.progress(STEPS);
    expect(await readiness()).toBe(200);
  });

  it('goes on after it was cut off with transactions open, which the server is not told', async () => {
    proxy.cutOff();
    await isReady(503);
    proxy.pass();
    await load.progress(STEPS);
    expect(await readiness()).toBe(200);
  });

  it('goes on after PostgreSQL crashed', async () => {
    await postgres.end();
    await isReady(503);
    await postgres.begin();
    await load.progress(STEPS);
    expect(await readiness()).toBe(200);
  });

  it('has everything that it answered with 200, exactly once where it has an idempotency key, after kill -9, by another node', async () => {
    await server.stop('SIGKILL');
    server = deployment.start();
    address = await server.ready();
    load.lead(address);
    await load.progress(STEPS);
    await load.expectAllStored();
    expect(load.failures.filter(({ reason }) => reason.includes('INTERNAL_SERVER_ERROR'))).toEqual([]);
  });
});
