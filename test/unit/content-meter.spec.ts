import { PassThrough } from 'node:stream';
import { ContentMeter } from '../../src/modules/file-management/content-meter.js';

describe('content that nobody reads', () => {
  it('is given up when its sender stalls, and takes nothing else with it', async () => {
    const meter = new ContentMeter(new PassThrough(), () => undefined, { stallLimitMs: 10 });
    // No listener for its error, as after a store that refused at once: unheard, it would end the process.
    await new Promise((resolve) => meter.once('close', resolve));
    expect(meter.destroyed).toBe(true);
  });
});
