// Build of another commit in a temporary worktree, which is removed when the process exits.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { driverSettings } from '../../scripts/package-installs.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCK = 'package-lock.json';
const STAMPS = join('.cache', 'platform-services');

const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });

/** Returns the full hash of a commit, or undefined. */
export function commitOf(ref) {
  const { status, stdout } = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  return status === 0 ? stdout.trim() : undefined;
}

/** Checks the commit out into the given folder, which must not exist, and builds it with its own scripts. */
export async function checkOut(commit, folder) {
  process.once('exit', () => git('worktree', 'remove', '--force', '--force', folder));
  const added = git('worktree', 'add', '--detach', folder, commit);
  if (added.status !== 0) throw new Error(`${commit} cannot be checked out: ${added.stderr}`);
  if (readFileSync(join(ROOT, LOCK), 'utf8') === readFileSync(join(folder, LOCK), 'utf8')) shareModules(folder);
  await build(folder);
  if (!existsSync(join(folder, 'dist', 'bundle', 'main.js'))) throw new Error(`${commit} builds no dist/bundle/main.js`);
}

/** Links every package. Does not share the stamps of scripts/prepare.mjs, which belong to one checkout. */
function shareModules(folder) {
  const [from, to] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(to, STAMPS), { recursive: true });
  for (const name of readdirSync(from).filter((name) => name !== '.cache')) symlinkSync(join(from, name), join(to, name));
  copyFileSync(join(from, STAMPS, 'install'), join(to, STAMPS, 'install'));
}

/**
 * Builds in a separate process group, so that the compilers exit with this process. Reuses the compiled SQLite driver if both commits
 * have the same version of it.
 */
async function build(folder) {
  const prebuilt = mkdtempSync(join(tmpdir(), 'driver-'));
  process.once('exit', () => rmSync(prebuilt, { recursive: true, force: true }));
  const env = { ...process.env, ...(await driverSettings(prebuilt)) };
  const options = { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true };
  const child = spawn(process.execPath, [join('scripts', 'prepare.mjs')], options);
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  };
  process.prependOnceListener('exit', stop); // before the folder goes
  const [status] = await once(child, 'close');
  process.off('exit', stop);
  if (status !== 0) throw new Error('the other commit does not build');
}
