// @only postgresql: the faults are those of a server and of the network to it
// @nightly: backends are terminated and answers are lost for longer than the limits of a node
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultyPostgres } from './support/faulty-postgres.js';
import { describeWithOwnPostgres } from './support/postgres.js';

const STEPS = 3;
const TERMINATED = 20;

describeWithOwnPostgres('a node under a load on all five services, whose PostgreSQL has faults', () => {
  let node: FaultyPostgres;

  beforeAll(async () => {
    node = await FaultyPostgres.start();
  });
  beforeEach(() => node.load.progress(STEPS));
  afterAll(() => node.remove());

  async function expectToGoOn(): Promise<void> {
    await node.load.progress(STEPS);
    expect(await node.ready()).toBe(200);
  }

  it('continues after backends were terminated between the first change of a transaction and its commit', async () => {
    await node.terminate((terminated) => terminated >= TERMINATED);
    await expectToGoOn();
  });

  it.each([5_000, 15_000])('continues after changes were applied but their responses lost, for %i ms', async (lostMs) => {
    node.proxy.losesAnswers = true;
    await sleep(lostMs);
    if (lostMs > 12_000) expect(await node.ready()).toBe(503);
    node.proxy.pass();
    await expectToGoOn();
  });

  it('continues after it was cut off with open transactions, without the server being told', async () => {
    node.proxy.cutOff();
    await node.becomes(503);
    node.proxy.pass();
    await expectToGoOn();
  });

  it('continues after a crash of PostgreSQL', async () => {
    await node.postgres.end();
    await node.becomes(503);
    await node.postgres.begin();
    await expectToGoOn();
  });

  it('has everything it answered with 200, exactly once per idempotency key, when another node continues after kill -9', async () => {
    await node.kill();
    await node.expectAllStored();
  });
});
