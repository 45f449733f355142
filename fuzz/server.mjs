// The server under test in its own process, monitored from outside: its log, stalls of its event loop, and memory in use after a full
// collection.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOOK_EVERY_MS = 1_000;
const MAX_STALL_MS = 200;
/** Memory that may stay in use after a run: caches fill up, each within its limit. */
const KEPT_BYTES = 32 * 1024 * 1024;
const ERROR_LEVEL = 50;

/**
 * Runs inside the server, before its program, and answers between two tasks of its event loop. An inspector would run its expressions
 * in the middle of any function: within `Buffer.from` they are given the same bytes of its pool, which broke one token in 8,000 (Node
 * 20.20). Measures a stall as processor time of the main thread between two looks: on a busy machine a thread that waits for a processor
 * stands still too, and is not to blame.
 */
const WATCH = `if (process.getBuiltinModule('node:worker_threads').isMainThread) {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const worked = () => {
    try {
      const stat = readFileSync('/proc/self/task/' + process.pid + '/stat', 'latin1');
      const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13);
      return (Number(user) + Number(system)) * 10;
    } catch {
      return performance.now();
    }
  };
  const now = () => ({ at: performance.now(), worked: worked() });
  let longest = 0;
  let before = now();
  const look = () => {
    const { at, worked } = now();
    longest = Math.max(longest, Math.min(at - before.at, worked - before.worked));
    before = { at, worked };
  };
  const answers = {
    longestStall: () => [longest, (longest = 0)][0],
    // Each collection holds the event loop for 0.1 to 0.2 s, which is no stall of the server's own.
    heapInUse: () => {
      gc();
      gc();
      before = now();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
  };
  process.on('message', ({ id, question }) => process.send({ id, answer: answers[question]() }));
  process.channel.unref();
  setInterval(look, 10).unref();
}`;
const WATCH_MODULE = `data:text/javascript,${encodeURIComponent(WATCH)}`;

export class Server {
  /** Each kind of fault once, with its count. */
  faults = new Map();
  longestStallMs = 0;
  #child;
  #folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  #database;
  #watching = true;
  #heapBefore;

  static async start(databaseUrl) {
    const server = new Server();
    await server.#start(databaseUrl);
    return server;
  }

  async #start(databaseUrl) {
    this.#database = databaseUrl && (await createDatabase(databaseUrl));
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: this.#folder,
      SECRET_KEY: randomUUID(),
      LOG_LEVEL: 'info', // the line `ready` has the port
      ...(this.#database && { DATABASE_URL: this.#database.url }),
    };
    const options = ['--expose-gc', '--import', WATCH_MODULE];
    this.#child = spawn(process.execPath, [...options, join(ROOT, 'dist/bundle/main.js')], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    process.on('exit', () => this.#child.kill('SIGKILL'));
    this.ended = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve(code ?? signal)));
    void this.ended.then((how) => this.#watching && this.blame(`the process ended: ${how}`));
    const [ready, key] = await Promise.all([
      this.#seen(this.#child.stdout, /\{[^\n]*"msg":"ready"[^\n]*\}/),
      this.#seen(this.#child.stdout, /^ {2}(\S{20,})$/m),
    ]);
    this.port = JSON.parse(ready).port;
    this.address = `http://127.0.0.1:${this.port}`;
    this.key = key.trim();
    this.#readLog();
    void this.#watch();
  }

  /** Notes a fault; the same words count once. */
  blame(fault, example = '') {
    const known = this.faults.get(fault);
    if (known) known.times += 1;
    else this.faults.set(fault, { times: 1, example });
  }

  /** Remembers the memory that the server needs once it is warm. */
  async measureMemory() {
    this.#heapBefore = await this.#ask('heapInUse');
  }

  /** Checks for memory that was not released, ends the server, and removes its leftovers. */
  async stop() {
    this.#watching = false;
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const after = await this.#ask('heapInUse');
      const keptMiB = Math.round((after - this.#heapBefore) / 1024 / 1024);
      if (after - this.#heapBefore > KEPT_BYTES) this.blame(`${keptMiB} MiB more are in use than before`);
      this.keptMiB = keptMiB;
      this.#child.kill('SIGTERM');
      const how = await this.ended;
      if (how !== 0) this.blame(`SIGTERM ended the process with ${how}`);
    }
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#database?.drop();
  }

  #seen(stream, pattern) {
    let text = '';
    return new Promise((resolve, reject) => {
      stream.on('data', (chunk) => {
        const match = pattern.exec((text += chunk));
        if (match) resolve(match[1] ?? match[0]);
      });
      void this.ended.then((how) => reject(new Error(`the server ended with ${how}: ${text}`)));
    });
  }

  #readLog() {
    let rest = '';
    this.#child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('{')) continue;
        const { level, msg, err } = JSON.parse(line);
        if (level >= ERROR_LEVEL)
          this.blame(
            `logged as an error: ${msg}: ${String(err?.message).slice(0, 100)}`,
            err ? `${err.message}\n${err.stack}` : line,
          );
      }
    });
    this.#child.stderr.resume();
  }

  async #watch() {
    await this.#ask('longestStall'); // the start is not measured
    while (this.#watching) {
      await delay(LOOK_EVERY_MS);
      const stallMs = await this.#ask('longestStall').catch(() => 0);
      this.longestStallMs = Math.max(this.longestStallMs, stallMs);
      if (stallMs > MAX_STALL_MS) this.blame(`the event loop stood still for over ${MAX_STALL_MS} ms`, this.lastRequests());
    }
  }

  /** Returns the requests in progress; the lanes set it. */
  lastRequests = () => '';

  /** @throws if the server has ended */
  #ask(question) {
    const id = randomUUID();
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const read = (message) => {
        if (message.id !== id) return;
        child.off('message', read);
        resolve(message.answer);
      };
      child.on('message', read);
      child.send({ id, question }, (error) => error && reject(error));
      void this.ended.then((how) => reject(new Error(`the server ended: ${how}`)));
    });
  }
}

async function createDatabase(url) {
  const name = `fuzz_${randomUUID().replaceAll('-', '')}`;
  const run = async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  return {
    url: Object.assign(new URL(url), { pathname: `/${name}` }).href,
    drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}
