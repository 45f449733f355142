// @nightly: starts what applications test with
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPlatform } from '../../clients/testing/dist/index.js';
import { runProgram } from '../support/language-clients.js';
import { SERVER } from '../support/process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const TESTING = new URL('../../clients/testing/dist/index.js', import.meta.url).href;
const BUNDLE = `${root}${SERVER.at(-1)!}`;
/** Notes each installation of the older driver, as the package does it on Node 20. A start needs it. */
const PROGRAM = `
  import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
  const driver = new URL('./node_modules/better-sqlite3/package.json', import.meta.url);
  if (process.argv[2] === '--version') {
    appendFileSync(new URL('./installations', import.meta.url), 'one\\n');
    await new Promise((done) => setTimeout(done, 500));
    writeFileSync(driver, '{"version":"12.11.1"}');
  } else if (readFileSync(driver, 'utf8').includes('"12.')) await import(${JSON.stringify(BUNDLE)});
  else throw new Error('the driver is compiled within the limit of a start');`;
/** Joins a server from several test files, as Node 20. */
const JOINER = `
  Object.defineProperty(process, 'versions', { value: { ...process.versions, napi: '9' } });
  const { startPlatform } = await import(${JSON.stringify(TESTING)});
  const timeoutMs = Number(process.argv[1]);
  const all = await Promise.all([1, 2].map(() => startPlatform({ timeoutMs })));
  console.log(new Set(all.map(({ address }) => address)).size);
  await Promise.all(all.map((one) => one.stop()));`;

describe('the start of a server for tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-application-'));
  const server = join(folder, 'node_modules', 'platform-services');
  afterAll(() => rmSync(folder, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(join(server, path, '..'), { recursive: true });
    writeFileSync(join(server, path), text);
  }

  it('installs the driver of Node 20 once, outside of its time limit', async () => {
    write('package.json', JSON.stringify({ type: 'module', bin: { 'platform-services': 'program.mjs' } }));
    write('program.mjs', PROGRAM);
    write('node_modules/better-sqlite3/package.json', '{"version":"13.2.0"}');
    const installations = () => readFileSync(join(server, 'installations'), 'utf8');
    const run = (timeoutMs: number) =>
      runProgram(process.execPath, ['--input-type=module', '-e', JOINER, String(timeoutMs)], folder, {});
    expect((await run(1)).status).toBe(1); // no server starts within 1 ms
    expect(installations()).toBe('one\n');
    expect(await run(120_000)).toMatchObject({ status: 0, output: expect.stringMatching(/^1$/m) });
    expect(installations()).toBe('one\n');
  });

  it('quotes the last line of the log when it takes too long', async () => {
    const program = `console.log('first'); console.log('Installing what it needs ...'); process.on('disconnect', () => process.exit())`;
    const until = `; setTimeout(() => process.exit(), 5_000)`;
    const start = startPlatform({ exclusive: true, command: [process.execPath, '-e', program + until], timeoutMs: 3_000 });
    await expect(start).rejects.toThrow(
      /did not start within 3000 ms; its log \S+server\.log ends with: Installing what it needs \.\.\.$/,
    );
  });
});
