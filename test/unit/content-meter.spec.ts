import { PassThrough } from 'node:stream';
import { ContentMeter } from '../../src/modules/file-management/content-rules/content-meter.js';

describe('an upload that nobody reads', () => {
  it('is abandoned when its sender stalls, without stopping the process', async () => {
    const meter = new ContentMeter(new PassThrough(), () => undefined, { stallLimitMs: 10 });
    // Without a listener for its error, as after a store that refused at once, the error could end the process.
    await new Promise((resolve) => meter.once('close', resolve));
    expect(meter.destroyed).toBe(true);
  });
});
