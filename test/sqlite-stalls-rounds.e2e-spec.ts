// @only sqlite: only SQLite has a thread of ours
// @nightly: servers are killed while their database thread stops, in many rounds
import { setTimeout as sleep } from 'node:timers/promises';
import { itInRounds } from './support/rounds.js';
import { MOMENTS, StalledServer } from './support/stalled-server.js';

describe('a server under a load on all five services, whose database thread stalls,', () => {
  itInRounds('loses nothing that was answered', MOMENTS, async ({ faults, killAfterMs }) => {
    const stalled = await StalledServer.start();
    try {
      for (const { kind, ms } of faults.slice(0, -1)) {
        await stalled.stall(kind, ms);
        await stalled.load.progress(1);
        await stalled.becomesReady();
      }
      const { kind, ms } = faults.at(-1)!;
      await stalled.stop(kind, ms);
      await sleep(killAfterMs);
      await stalled.expectAllStored();
    } finally {
      await stalled.remove();
    }
  });
});
