import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificates.js';
import { freePort } from './process.js';

const VERSIONS = '/usr/lib/postgresql';
const newest = existsSync(VERSIONS)
  ? readdirSync(VERSIONS)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1)
  : undefined;

/** Tests with a PostgreSQL of their own need the programs, as Debian installs them. */
export const describeWithOwnPostgres = newest || process.env.REQUIRE_SERVICES === '1' ? describe : describe.skip;

/** A PostgreSQL of its own, which takes connections with TLS only. */
export class SecurePostgres {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start({ key, cert }: Certificate): Promise<SecurePostgres> {
    const folder = mkdtempSync(join(tmpdir(), 'postgresql-'));
    const programs = join(VERSIONS, newest!, 'bin');
    // PostgreSQL never runs as root.
    const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const own = (path: string) => user.uid !== undefined && chownSync(path, user.uid, user.gid);
    own(folder);
    const data = join(folder, 'data');
    execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'test', '--no-sync'], { ...user, stdio: 'ignore' });
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
    writeFileSync(join(data, 'server.crt'), cert);
    writeFileSync(join(data, 'server.key'), key, { mode: 0o600 });
    own(join(data, 'server.key'));
    const port = await freePort();
    const lines = ['ssl = on', "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", `port = ${port}`, 'fsync = off'];
    appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
    const child = spawn(join(programs, 'postgres'), ['-D', data], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      let output = '';
      child.stderr.on('data', (chunk) => /ready to accept connections/.test((output += String(chunk))) && resolve());
      child.once('close', (code) => reject(new Error(`PostgreSQL ended with ${code}: ${output}`)));
    });
    return new SecurePostgres(child, folder, port);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.kill('SIGQUIT');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}
