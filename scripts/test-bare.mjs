// npm run test:bare: runs README's two commands, `npm start` and `npm test`, in a container that has only Node and npm, as an ordinary
// user and then as root, or as the named users: -- root. Needs Docker or Podman, and a package registry. --short runs only the tests
// that depend on the machine, as an ordinary user; --node 26 uses another Node. Version 20 must reach the host of better-sqlite3's
// compiled drivers, since the container has no compiler. --check only reports whether an engine can run the image.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBareEngine } from '../test/containers/engine.mjs';

const root = new URL('..', import.meta.url).pathname;
/** Limit after which a hanging container is stopped. Later than the limit of `npm test`, which names the tests not run. */
const LIMIT_SECONDS = 6_000;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' }, check: { type: 'boolean' }, node: { type: 'string', default: '24' } },
});
const IMAGE = `node:${values.node}-bookworm-slim`;
const users = positionals.length > 0 ? positionals : values.short ? ['node'] : ['node', 'root'];
/** Links of the checkout are relative. */
const AS_IS = { verbatimSymlinks: true };

const engine = await findBareEngine();
if (!engine || !(await engine.runs([IMAGE]))) {
  console.error(`README's commands are not tried on a bare machine: there is no container engine that runs ${IMAGE}`);
  process.exit(1);
}
if (values.check) process.exit(0);
const checkout = copyOfCheckout();
let passed = 0;
let failed = 0;
for (const user of users) await type(user);
rmSync(checkout, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Copies the content of a clone of this checkout, readable by every user. */
function copyOfCheckout() {
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-bare-'));
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 };
  const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  for (const path of paths.split('\0').filter((one) => one && existsSync(join(root, one))))
    cpSync(join(root, path), join(folder, path), AS_IS);
  chmodSync(folder, 0o755);
  return folder;
}

/** Runs the commands as a user, and sums up the results. A container that exits without results counts as one failure. */
async function type(user) {
  console.log(`-- Node and npm alone, as ${user}`);
  let counts;
  const work = [
    'timeout',
    '--kill-after=10',
    String(LIMIT_SECONDS),
    'node',
    '/checkout/test/containers/bare.mjs',
    ...(values.short ? ['--short'] : []),
  ];
  const place = ['run', '--rm', '--network=host', '--user', user, '--volume', `${checkout}:/checkout:ro`, IMAGE];
  const status = await engine.follow([...place, ...work], (line) => {
    console.log(line);
    counts = /^(\d+) passed, (\d+) failed/.exec(line) ?? counts;
  });
  const [, ok = 0, bad = 0] = counts ?? [];
  passed += Number(ok);
  failed += Number(bad) || (status === 0 && counts ? 0 : 1);
}
