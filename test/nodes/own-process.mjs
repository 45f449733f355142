import { spawn, spawnSync } from 'node:child_process';

/** Of util-linux. It replaces itself by the program, so the process id is that of the program. */
const LEASH = spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];

/**
 * Spawns a program that ends with this process, however this process ends: after a failed test that stopped nothing, and when Jest
 * is killed. Where there is no setpriv, only `stop` ends it.
 * @type {typeof import('node:child_process').spawn}
 */
export function spawnOwn(program, args, options) {
  const [first, ...rest] = [...LEASH, program, ...args];
  return spawn(first, rest, options);
}
