// @nightly: measures a server that has nothing to do for half a minute
import { setTimeout as delay } from 'node:timers/promises';
import { Work } from '../bench/support/leaving.mjs';
import { Deployment, type ServerProcess } from './support/process.js';

/** In which a started server comes to rest. */
const REST_MS = 20_000;
const WATCHED_SECONDS = 30;
/** Milliseconds of processor time a second. It took 18 on the same machine when each job polled by itself. */
const MOST_IDLE_MS = 10;

describe('an idle server', () => {
  let deployment: Deployment;
  let server: ServerProcess;

  beforeAll(async () => {
    deployment = await Deployment.create({ PORT: '0' });
    server = deployment.start();
    await server.ready();
  });
  afterAll(() => deployment.remove());

  it(`uses at most ${MOST_IDLE_MS} ms of processor time a second`, async () => {
    const work = new Work(server.child.pid!);
    await delay(REST_MS);
    const from = work.seconds();
    await delay(WATCHED_SECONDS * 1_000);
    expect((1_000 * (work.seconds() - from)) / WATCHED_SECONDS).toBeLessThan(MOST_IDLE_MS);
  });
});
