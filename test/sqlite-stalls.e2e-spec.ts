// @only sqlite: only SQLite has a thread of ours
import { type Moment, StalledServer } from './support/stalled-server.js';

/** Longer than the 10 s after which callers are refused. */
const SILENT_MS = 12_000;

describe('a database thread that stalls for longer than callers wait', () => {
  let stalled: StalledServer;
  beforeAll(async () => {
    stalled = await StalledServer.start();
  });
  afterAll(() => stalled.remove());

  it.each<Moment>(['read before', 'begin before', 'commit after'])(
    'makes the node not ready, and ready again (%s)',
    async (moment) => {
      const states = await stalled.stall(moment, SILENT_MS);
      expect(states).toContain(503);
      await stalled.load.progress(3);
      expect(await stalled.ready()).toBe(200);
    },
  );

  it('loses nothing that was answered, even if the process is killed meanwhile', () => stalled.expectAllStored());
});
