// @only sqlite: only SQLite has a thread of ours
// @nightly: the thread stops at each kind of order, for up to 130 s
import { expectSilence, type Moment, MOMENTS, StalledServer } from './support/stalled-server.js';

describe.each([5_000, 11_000])('a database thread that stalls for %i ms at each kind of order', (ms) => {
  let stalled: StalledServer;
  beforeAll(async () => {
    stalled = await StalledServer.start();
  });
  afterAll(() => stalled.remove());

  it.each(MOMENTS)('recovers (%s)', async (moment) => {
    await stalled.stall(moment, ms);
    await stalled.load.progress(2);
    expect(await stalled.ready()).toBe(200);
  });

  it('loses nothing that was answered, even if the process is killed meanwhile', () => stalled.expectAllStored());
});

describe('a database thread that stalls for longer than callers wait', () => {
  let stalled: StalledServer;
  beforeAll(async () => {
    stalled = await StalledServer.start();
  });
  afterAll(() => stalled.remove());

  it.each<Moment>(['read before', 'commit after'])('makes the node not ready, and ready again (%s)', (moment) =>
    expectSilence(stalled, moment),
  );

  it('loses nothing that was answered, even if the process is killed meanwhile', () => stalled.expectAllStored());
});

describe('a database thread that stalls for longer than a long statement may take', () => {
  let stalled: StalledServer;
  beforeAll(async () => {
    stalled = await StalledServer.start();
  });
  afterAll(() => stalled.remove());

  it.each<Moment>(['begin before', 'commit before'])('recovers (%s)', async (moment) => {
    expect(await stalled.stall(moment, 130_000)).toContain(503);
    await stalled.load.progress(2);
    expect(await stalled.ready()).toBe(200);
  });

  it('loses nothing that was answered, even if the process is killed meanwhile', () => stalled.expectAllStored());
});
