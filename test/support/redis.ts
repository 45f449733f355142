import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './process.js';

/** A Redis of its own, for tests that stop it. It keeps nothing on disk. */
export class OwnRedis {
  private child: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<OwnRedis> {
    const redis = new OwnRedis(await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const options = [
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--loglevel',
      'warning',
    ];
    this.child = spawn('redis-server', options, { stdio: 'ignore' });
    while (!(await this.answers())) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async stop(): Promise<void> {
    const ended = once(this.child!, 'close');
    this.child!.kill('SIGKILL');
    await ended;
  }

  private answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('close', () => socket.destroy());
      socket.once('connect', () => socket.end());
    });
  }
}
