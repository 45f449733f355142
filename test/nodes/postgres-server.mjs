// PostgreSQL servers for tests and the soak, from the programs that Debian installs: one alone, or one with a standby.
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';
import { endOwn, serving, spawnOwn } from './own-process.mjs';

const VERSIONS = '/usr/lib/postgresql';
const newest = existsSync(VERSIONS)
  ? readdirSync(VERSIONS)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1)
  : undefined;
export const hasPostgresPrograms = newest !== undefined;
const program = (name) => join(VERSIONS, newest, 'bin', name);
/** PostgreSQL never runs as root. */
const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
const owner = process.getuid?.() === 0 && hasPostgresPrograms ? { uid: idOf('-u'), gid: idOf('-g') } : {};
const asOwner = { ...owner, cwd: '/' };
const ATTEMPTS = 300;

/** A server with a folder of its own, which does not wait for the disk, and trusts every connection. */
export class PostgresServer {
  #child;

  constructor(port) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'postgresql-'));
    this.data = join(this.folder, 'data');
    own(this.folder);
  }

  /**
   * Makes a new, empty one, with more lines in its configuration and more files beside its data, and starts it.
   * @param {{ lines?: string[], files?: Record<string, string> }} [more]
   */
  static async start({ lines = [], files = {} } = {}) {
    const server = new PostgresServer(await freePort());
    execFileSync(program('initdb'), ['-D', server.data, '-A', 'trust', '-U', 'test', '--no-sync'], {
      ...asOwner,
      stdio: 'ignore',
    });
    const always = ["listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", 'fsync = off', 'max_connections = 200'];
    appendFileSync(join(server.data, 'postgresql.conf'), `${[...always, ...lines].join('\n')}\n`);
    for (const [name, content] of Object.entries(files)) {
      const file = join(server.data, name);
      writeFileSync(file, content, { mode: 0o600 });
      own(file);
    }
    await server.begin();
    return server;
  }

  /** Creates a copy of a running server, which follows it from then on, and starts it. */
  static async follow({ port }) {
    const server = new PostgresServer(await freePort());
    const source = ['-h', '127.0.0.1', '-p', String(port), '-U', 'test'];
    const options = ['-D', server.data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    execFileSync(program('pg_basebackup'), [...source, ...options], { ...asOwner, stdio: 'ignore' });
    chmodSync(server.data, 0o700);
    await server.begin();
    return server;
  }

  urlOf(database) {
    return `postgresql://test@127.0.0.1:${this.port}/${database}`;
  }

  async begin() {
    const child = spawnOwn(program('postgres'), ['-D', this.data, '-p', String(this.port)], {
      ...asOwner,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    await serving(child, /ready to accept (read-only )?connections/);
  }

  /** Runs statements in one session of psql, outside of a transaction. Returns what psql prints of their rows. */
  async run(...statements) {
    const commands = statements.flatMap((statement) => ['-c', statement]);
    const options = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', this.urlOf('postgres')];
    const { stdout } = await promisify(execFile)(program('psql'), [...options, ...commands], { cwd: '/' });
    return stdout.trim();
  }

  /** Stops it like a crash does, by default together with its sessions. */
  async end(signal = 'SIGQUIT') {
    if (this.#child) await endOwn(this.#child, signal);
  }

  async remove() {
    await this.end();
    rmSync(this.folder, { recursive: true });
  }
}

/** A primary and a standby that has each change before the primary confirms it. Clients follow `primary`. */
export class PostgresPair {
  /** @type {PostgresServer | undefined} */
  standby;

  constructor(primary) {
    this.primary = primary;
  }

  static async start() {
    const pair = new PostgresPair(await PostgresServer.start());
    await pair.addStandby();
    return pair;
  }

  /** Lets a copy of the primary follow it, and lets the primary wait for it from then on. */
  async addStandby() {
    this.standby = await PostgresServer.follow(this.primary);
    await this.primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const count = await this.primary.run("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'");
      if (count === '1') return;
      await sleep(100);
    }
    throw new Error('the standby does not follow');
  }

  /** Ends the primary with kill -9. Its sessions end as they notice. */
  async losePrimary() {
    await this.primary.end('SIGKILL');
    await this.primary.remove();
  }

  /** Stops the standby, for which the primary continues waiting. */
  async loseStandby() {
    await this.standby.remove();
    this.standby = undefined;
  }

  /** Makes the standby the primary. It waits for no other until one follows it. */
  async promote() {
    await this.standby.run('SELECT pg_promote()');
    this.primary = this.standby;
    this.standby = undefined;
  }

  async remove() {
    await Promise.all([this.primary.remove(), this.standby?.remove()]);
  }
}

function own(path) {
  if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid);
}
