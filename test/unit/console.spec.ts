import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestServer } from '../support/server.js';

const CHECK = fileURLToPath(new URL('../browser/console.mjs', import.meta.url));
const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

(TEST_CHROMIUM || REQUIRE_SERVICES === '1' ? describe : describe.skip)('the five consoles in a real browser', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('show a schema only after the key is entered, keep no key, and ask no other host for anything', async () => {
    const settings = { env: { ...process.env, CHROMIUM: TEST_CHROMIUM } };
    const checked = promisify(execFile)(process.execPath, [CHECK, server.address, await server.createKey()], settings);
    const { stdout } = await checked.catch((error: { stdout: string }) => error);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(stdout).toMatch(/all checks passed\n$/);
  }, 120_000);
});
