// @nightly: starts a program that is for development only
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../nodes/free-port.mjs';
import { spawnOwn } from '../nodes/own-process.mjs';
import { openSqlite } from '../support/behind-the-api.js';
import { runProgram } from '../support/language-clients.js';
import { until } from '../support/websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PRISMA = 'node_modules/prisma/build/index.js';

describe('the prisma command without its schema engine', () => {
  it.each(['file:./data/none.db', 'postgresql://user:password@localhost/none'])('validates the schema of %s', async (url) => {
    const env = { DATABASE_URL: url, CHECKPOINT_DISABLE: '1' };
    const { status, output } = await runProgram(process.execPath, [PRISMA, 'validate'], root, env);
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/The schemas at prisma\/\w+ are valid/) });
  });

  it('shows a SQLite database in Prisma Studio', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-services-prisma-'));
    openSqlite('a database of its own is shown', join(folder, 'one.db')).close();
    const port = await freePort();
    const args = [PRISMA, 'studio', '--browser', 'none', '--port', String(port)];
    const env = { ...process.env, DATABASE_URL: `file:${join(folder, 'one.db')}`, CHECKPOINT_DISABLE: '1' };
    const studio = spawnOwn(process.execPath, args, { cwd: root, env, stdio: 'ignore' });
    try {
      const page = () => fetch(`http://localhost:${port}/`).then(({ status }) => status, () => 0); // prettier-ignore
      await until(async () => (await page()) === 200);
    } finally {
      studio.kill();
      rmSync(folder, { recursive: true });
    }
  });
});
