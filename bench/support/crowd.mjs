// Controller of crowd-client.mjs: starts as many processes as the sockets need, each with its own loopback address.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./crowd-client.mjs', import.meta.url));
/** Limits of a process: open files besides its sockets, and ports of its address. */
const OTHER_FILES = 1_000;
const PORTS = 25_000;

/** Returns the number of processes needed for the sockets. */
export function processesFor(sockets) {
  const [, limit] = /^Max open files\s+\d+\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  const each = Math.min(limit === 'unlimited' ? Infinity : Number(limit) - OTHER_FILES, PORTS);
  return Math.ceil(sockets / each);
}

export class Crowd {
  constructor(uris) {
    const processes = processesFor(uris.length);
    const share = Math.ceil(uris.length / processes);
    this.count = uris.length;
    this.shares = Array.from({ length: processes }, (_, index) => {
      const child = fork(PROGRAM, [`127.0.0.${index + 2}`]);
      child.on('message', ({ failed }) => {
        if (failed) throw new Error(`a connection failed: ${failed}`);
      });
      return { child, uris: uris.slice(index * share, (index + 1) * share) };
    });
  }

  /** Opens all connections, and returns the seconds this took. */
  async open() {
    const start = performance.now();
    await this.tellEach('opened', ({ uris }) => ({ open: uris }));
    return (performance.now() - start) / 1_000;
  }

  /** Returns the seconds until each connection received the message of `push`. */
  async receive(push) {
    await this.tellEach('expecting', ({ uris }) => ({ expect: uris.length }));
    const arrived = this.shares.map(({ child }) => told(child, 'arrived'));
    const start = process.hrtime.bigint();
    const [ends] = await Promise.all([Promise.all(arrived), push()]);
    return Math.max(...ends.map(({ at }) => Number(BigInt(at) - start) / 1e9));
  }

  /** Makes clients reconnect from now on. Returns a promise of the result once all have. */
  async scatter() {
    await this.tellEach('scattering', () => ({ scatter: true }));
    return { back: Promise.all(this.shares.map(({ child }) => told(child, 'back'))).then(together) };
  }

  /** Resets the counts. */
  async forget() {
    await this.tellEach('forgotten', () => ({ forget: true }));
  }

  tellEach(answer, messageOf) {
    return Promise.all(
      this.shares.map((share) => {
        share.child.send(messageOf(share));
        return told(share.child, answer);
      }),
    );
  }

  close() {
    for (const { child } of this.shares) child.disconnect();
  }
}

function together(herds) {
  const failures = {};
  for (const [name, count] of herds.flatMap((herd) => Object.entries(herd.failures))) {
    failures[name] = (failures[name] ?? 0) + count;
  }
  return { waits: Float64Array.from(herds.flatMap(({ waits }) => waits)).sort(), failures };
}

function told(child, what) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`the clients ended with ${code}`));
    const hear = (message) => {
      if (!(what in message)) return;
      child.off('message', hear);
      child.off('exit', ended);
      resolve(message);
    };
    child.on('message', hear);
    child.once('exit', ended);
  });
}
