// @only sqlite: only SQLite has a thread of ours
import { expectSilence, type Moment, StalledServer } from './support/stalled-server.js';

describe('a database thread that stalls for longer than callers wait', () => {
  let stalled: StalledServer;
  beforeAll(async () => {
    stalled = await StalledServer.start();
  });
  afterAll(() => stalled.remove());

  // Others of its moments are nightly: sqlite-stalls-long.
  it.each<Moment>(['begin before'])('makes the node not ready, and ready again (%s)', (moment) => expectSilence(stalled, moment));

  it('loses nothing that was answered, even if the process is killed meanwhile', () => stalled.expectAllStored());
});
