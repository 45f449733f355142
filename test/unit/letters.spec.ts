import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const NODE = fileURLToPath(new URL('../support/letters-node.mjs', import.meta.url));
const MIB = 1024 * 1024;

describe('letters to a worker that does not read', () => {
  it('wait up to a bound; any more are dropped, it is told once it has read, and all that follow arrive', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [NODE], { maxBuffer: 16 * MIB });
    const received: (number | string)[] = JSON.parse(stdout);
    const at = received.indexOf('lost');
    const before = received.slice(0, at);
    expect(before).toEqual(before.map((_, index) => index)); // none is missing before the first that was dropped
    expect(before.length).toBeGreaterThan(3_000);
    expect(before.length).toBeLessThan(6_000); // of 50,000 letters of 1 KiB; the bound is 4 MiB, and some are in the pipe
    expect(received.at(-1)).toBe('after');
    expect(received.filter((one) => one === 'lost')).toHaveLength(1);
  });
});
