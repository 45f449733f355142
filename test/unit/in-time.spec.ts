import { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Batcher } from '../../src/common/scheduling/batcher.js';
import { afterSilence, inTime } from '../../src/common/base/in-time.js';
import { hold } from '../support/time.js';

const LIMIT_MS = 20;
/** Work whose result arrives while this process is busy, and beyond the limit. */
async function answeredMeanwhile<T>(begin: () => T): Promise<T> {
  const begun = begin();
  await new Promise((resolve) => setImmediate(resolve)); // the work is in progress
  hold(3 * LIMIT_MS);
  return begun;
}
const answer = () => stat('.');

describe('a response that arrived while the process was busy beyond its time limit', () => {
  it('counts', async () => {
    expect(await answeredMeanwhile(() => inTime(answer(), LIMIT_MS, 'no answer'))).toBeInstanceOf(Stats);
  });

  it('ends the wait for silence', async () => {
    let hasExpired = false;
    await answeredMeanwhile(async () => {
      const answered = afterSilence(LIMIT_MS, () => (hasExpired = true));
      await answer();
      answered();
    });
    await new Promise((resolve) => setTimeout(resolve, LIMIT_MS));
    expect(hasExpired).toBe(false);
  });

  it('completes the items of a batch', async () => {
    const batcher = new Batcher<number, Stats>(async () => [await answer()], { maxLength: 1, deadlineMs: LIMIT_MS });
    expect(await answeredMeanwhile(() => batcher.add(1))).toBeInstanceOf(Stats);
  });
});

it('a silent response is abandoned once, after its time', async () => {
  const began = performance.now();
  await expect(inTime(new Promise(() => undefined), LIMIT_MS, 'no answer')).rejects.toThrow('no answer within 20 ms');
  await new Promise<void>((resolve) => void afterSilence(LIMIT_MS, resolve));
  expect(performance.now() - began).toBeGreaterThanOrEqual(2 * LIMIT_MS - 2);
});
