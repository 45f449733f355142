import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestServer } from '../support/server.js';

const CHECK = fileURLToPath(new URL('../browser/push.mjs', import.meta.url));
const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

(TEST_CHROMIUM || REQUIRE_SERVICES === '1' ? it : it.skip)(
  'a page in a real browser receives pushes, its pongs confirm them, and it can tell why it was closed',
  async () => {
    const server = await TestServer.start();
    const settings = { env: { ...process.env, CHROMIUM: TEST_CHROMIUM } };
    const checked = promisify(execFile)(process.execPath, [CHECK, server.address, await server.createKey()], settings);
    const { stdout, stderr } = await checked.catch((error: { stdout: string; stderr: string }) => error);
    await server.stop();
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(stdout + stderr).toMatch(/all checks passed\n$/);
  },
  90_000,
);
