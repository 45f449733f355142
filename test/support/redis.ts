import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOwn, hasEnded, spawnOwn } from '../nodes/own-process.mjs';
import { freePort } from './process.js';

const SECURE = 'TLS only';

/** A Redis of its own, for tests that stop it, without persistence. */
export class OwnRedis {
  private child: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));

  private constructor(
    readonly port: number,
    private readonly more: string[],
  ) {}

  /** A server, with more options on its command line. */
  static async start(...more: string[]): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort(), more);
    await redis.start();
    return redis;
  }

  /** A Sentinel that watches a master as the group `push`, alone, and promotes another after a second of silence. */
  static async watch(master: OwnRedis, ...more: string[]): Promise<OwnRedis> {
    const lines = [
      `sentinel monitor push 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds push 1000',
      'sentinel failover-timeout push 5000',
    ];
    const sentinel = new OwnRedis(await freePort(), ['--sentinel', ...more]);
    const file = join(sentinel.folder, 'sentinel.conf');
    writeFileSync(file, `${lines.join('\n')}\n`);
    await sentinel.start(file);
    return sentinel;
  }

  /** Options of a server that accepts TLS only, with this certificate and key. */
  static secure(certificateFile: string, keyFile: string, authorityFile: string): string[] {
    const files = ['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', authorityFile];
    return [...files, '--tls-auth-clients', 'no', '--tls-replication', 'yes', SECURE];
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(...first: string[]): Promise<void> {
    mkdirSync(this.folder, { recursive: true }); // a replica writes what its master sends it, whatever `save` says
    const isSecure = this.more.includes(SECURE);
    const ports = isSecure ? ['--port', '0', '--tls-port', String(this.port)] : ['--port', String(this.port)];
    const options = [...ports, '--bind', '127.0.0.1', '--loglevel', 'warning', '--dir', this.folder];
    const data = first.length > 0 ? [] : ['--save', '', '--appendonly', 'no'];
    const child = spawnOwn('redis-server', [...first, ...options, ...data, ...this.more.filter((option) => option !== SECURE)], {
      stdio: 'ignore',
    });
    this.child = child;
    while (!(await this.answers())) {
      if (hasEnded(child)) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode ?? child.signalCode}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await endOwn(this.child!, 'SIGKILL');
    rmSync(this.folder, { recursive: true });
  }

  /** Returns whether its response to a command contains a text. */
  tells(command: string, text: string): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(`${command}\r\n`));
      socket.on('data', (bytes) => {
        resolve(String(bytes).includes(text));
        socket.destroy();
      });
      socket.on('error', () => resolve(false));
    });
  }

  private answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.destroy(); // an end would wait for the server, whose answer nobody reads
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  }
}
