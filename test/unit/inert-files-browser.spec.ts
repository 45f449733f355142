import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestServer } from '../support/server.js';

const CHECK = fileURLToPath(new URL('../browser/inert-files.mjs', import.meta.url));
const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

(TEST_CHROMIUM || REQUIRE_SERVICES === '1' ? it : it.skip)(
  'no script in a file runs in a real browser with the origin of the service, whatever the type of the file',
  async () => {
    const server = await TestServer.start();
    const settings = { env: { ...process.env, CHROMIUM: TEST_CHROMIUM } };
    const checked = promisify(execFile)(process.execPath, [CHECK, server.address, await server.createKey()], settings);
    const { stdout, stderr } = await checked.catch((error: { stdout: string; stderr: string }) => error);
    await server.stop();
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(stdout + stderr).toMatch(/all checks passed\n$/);
  },
  120_000,
);
