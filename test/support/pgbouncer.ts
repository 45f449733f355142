import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOwn, serving, spawnOwn } from '../nodes/own-process.mjs';
import { needing, program } from './needs.js';
import { freePort } from './process.js';

/** Tests behind PgBouncer need the program, and a PostgreSQL. */
export const describeBehindPgBouncer = needing(program('pgbouncer'), program('id')).describe;

/** A PgBouncer in front of a PostgreSQL, by default that of the tests. Each transaction may get another session. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(sessions: number, url = process.env.TEST_DATABASE_URL!): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(url);
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const own = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    const login = `user=${username}${password && ` password=${decodeURIComponent(password)}`}`;
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${port || 5432} ${login}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      `default_pool_size = ${sessions}`,
      'max_client_conn = 500',
    ];
    writeFileSync(file, `${settings.join('\n')}\n`);
    chmodSync(folder, 0o755); // PgBouncer never runs as root
    const nobody = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
    const user = process.getuid?.() === 0 ? { uid: nobody('-u'), gid: nobody('-g') } : {};
    const child = spawnOwn('pgbouncer', [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    await serving(child, /process up/);
    return new PgBouncer(child, folder, own);
  }

  /** Returns the URL of a database through this PgBouncer. */
  before(databaseUrl: string): string {
    const address = new URL(databaseUrl);
    address.host = `127.0.0.1:${this.port}`;
    return address.href;
  }

  async stop(): Promise<void> {
    await endOwn(this.child);
    rmSync(this.folder, { recursive: true });
  }
}
