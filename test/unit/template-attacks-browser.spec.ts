import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CHECK = fileURLToPath(new URL('../browser/template-attacks.mjs', import.meta.url));
const { TEST_CHROMIUM, REQUIRE_SERVICES } = process.env;

(TEST_CHROMIUM || REQUIRE_SERVICES === '1' ? it : it.skip)(
  'no parameter of a template runs a script in a real browser, whatever it is and wherever it stands',
  async () => {
    const settings = { env: { ...process.env, CHROMIUM: TEST_CHROMIUM } };
    const checked = promisify(execFile)(process.execPath, [CHECK], settings);
    const { stdout, stderr } = await checked.catch((error: { stdout: string; stderr: string }) => error);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(stdout + stderr).toMatch(/all checks passed\n$/);
  },
  240_000,
);
