import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FIRST_LINE, serving } from '../nodes/own-process.mjs';
import { needing, program } from '../support/needs.js';

const MODULE = fileURLToPath(new URL('../nodes/own-process.mjs', import.meta.url));
const withLeash = needing(program('setpriv'), program('sleep')).it;

describe('a server that a test started', () => {
  withLeash('ends with the process of the test, also when that is killed', async () => {
    const script = `
      import { spawnOwn } from ${JSON.stringify(MODULE)};
      console.log(spawnOwn('sleep', ['1000'], { stdio: ['ignore', 1, 'ignore'] }).pid);
      setInterval(() => undefined, 1000);`;
    const test = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(await serving(test, FIRST_LINE, test.stdout));
    expect(process.kill(pid, 0)).toBe(true);
    test.kill('SIGKILL');
    await once(test.stdout, 'close'); // the guarantee: the server holds it open until it ends
  });
});
