// @nightly: copies the checkout with its packages, and installs them again
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../nodes/journey.mjs';
import { runProgram } from '../support/language-clients.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NOT_COPIED = new Set(['.git', 'data', 'coverage', 'node_modules/.cache/test-nodes']);
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** On Node 20 npm puts a driver of SQLite in place that ends the process; the next command replaces it. */
describe('a started checkout, after npm install,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-checkout-'));
  const data = join(folder, 'data');
  /** Returns what a failed command of npm said. */
  async function fault(...args: string[]): Promise<string> {
    const { status, output } = await runProgram('npm', args, folder, { DATA_DIR: data });
    return status === 0 ? '' : output;
  }

  beforeAll(() =>
    cpSync(root, folder, { recursive: true, verbatimSymlinks: true, filter: (path) => !NOT_COPIED.has(relative(root, path)) }),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => expect(await fault('install', ...QUIET)).toBe(''));

  it('serves by npm start', async () => {
    const server = startServer('npm', folder, { HOME: process.env.HOME!, DATA_DIR: data }, ['start']);
    try {
      await server.connect();
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['run', 'keys', '--', 'list'],
    ['run', 'build'],
    ['test', '--', 'unit/api-key', 'files-url'],
    ['test', '--workspace', 'examples/shop'],
  ])('passes npm %s %s', async (...args) => {
    expect(await fault(...args)).toBe('');
  });
});
