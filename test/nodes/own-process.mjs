import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram, programPath } from './programs.mjs';

/** Part of util-linux. It replaces itself by the program, so the process id is that of the program. */
const SETPRIV = findProgram('setpriv');
const LEASH = SETPRIV ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : [];

/**
 * Spawns a program that ends with this process, however this process ends: after a failed test that stopped nothing, and when Jest
 * is killed. Where there is no setpriv, only `stop` ends it. Throws if the program is not installed.
 * @type {typeof import('node:child_process').spawn}
 */
export function spawnOwn(program, args, options) {
  const [first, ...rest] = [...LEASH, programPath(program), ...args];
  return spawn(first, rest, options);
}

/** First line of what a program says. */
export const FIRST_LINE = /^.*(?=\n)/;

/**
 * Awaits what a program says once it serves, by default on its standard error, and returns it. Rejects with all that the program said if it
 * ends before.
 * @param {import('node:child_process').ChildProcess} child
 * @param {RegExp} pattern
 * @param {import('node:stream').Readable} [stream]
 * @returns {Promise<string>}
 */
export function serving(child, pattern, stream = child.stderr) {
  let said = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-5_000);
      const match = pattern.exec(said);
      if (match) resolve(match[0]);
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}: ${said}`)));
  });
}

/**
 * Sends a signal to a process, unless it has ended, and awaits its end.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} [signal]
 */
export async function endOwn(child, signal = 'SIGTERM') {
  if (hasEnded(child)) return;
  const ended = once(child, 'close'); // its own children hold its output open until they end
  child.kill(signal);
  await ended;
}

/** @param {import('node:child_process').ChildProcess} child */
export function hasEnded({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null;
}
