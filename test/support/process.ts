import { type ChildProcess, execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../nodes/free-port.mjs';
import { spawnOwn } from '../nodes/own-process.mjs';
import { createDatabase, storeSettings, type TestDatabase } from './databases.js';
import { dataFolder } from './folders.js';

export { freePort };

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const STARTS = 5;
const BARE = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/' };

/** Store and database shared by several processes of one test. */
export class Deployment {
  private readonly started: ServerProcess[] = [];
  /** Folder of the build that commands and servers run from. */
  build = root;

  private constructor(
    readonly dataDir: string,
    readonly settings: Record<string, string>,
    private readonly database: TestDatabase,
  ) {}

  static async create(settings: Record<string, string> = {}): Promise<Deployment> {
    const database = await createDatabase();
    const dataDir = dataFolder();
    const secret = 'a secret key that only tests are using';
    const own = { PORT: '0', DATA_DIR: dataDir, SECRET_KEY: secret, ...database.settings(dataDir) };
    return new Deployment(dataDir, { ...own, ...storeSettings(), ...settings }, database);
  }

  /** Runs `npm run -s keys -- …` as another process, without the staleness check of the build. */
  keys(...args: string[]): Promise<string> {
    return this.command('keys', ...args);
  }

  async command(...args: string[]): Promise<string> {
    const { stdout } = await run(CLI[0], [...CLI.slice(1), ...args], {
      cwd: this.build,
      env: { ...BARE, ...this.settings },
    });
    return stdout.trimEnd();
  }

  /** Returns output and exit code of a command that may fail. */
  outcome(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return this.fed('', ...args);
  }

  /** The same, with its standard input. */
  async fed(input: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const options = { cwd: this.build, env: { ...BARE, ...this.settings } };
    return new Promise((resolve) => {
      const child = execFile(CLI[0], [...CLI.slice(1), ...args], options, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stdout: stdout.trimEnd(), stderr });
      });
      child.stdin!.on('error', () => undefined);
      child.stdin!.end(input);
    });
  }

  start(settings: Record<string, string> = {}, command?: string[]): ServerProcess {
    const server = new ServerProcess({ ...this.settings, ...settings }, command, this.build);
    this.started.push(server);
    return server;
  }

  /**
   * Starts a server, and again after a failed start, like a supervisor: one beside many others may find its database silent. Resolves to
   * the server that serves, and its URL.
   */
  async serve(settings: Record<string, string> = {}): Promise<{ server: ServerProcess; address: string }> {
    for (let left = STARTS - 1; ; left--) {
      const server = this.start(settings);
      try {
        return { server, address: await server.ready() };
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  /** Expires the leases of a dead node. */
  async releaseLeases(): Promise<void> {
    await this.query('only time ends the leases of a node that died', 'DELETE FROM "Lease"');
  }

  /** Runs a statement past the servers. The reason says what no API creates or shows. */
  query(reason: string, sql: string): Promise<unknown[]> {
    return this.database.query(reason, sql, this.dataDir);
  }

  /** Stops what a failed test left running. */
  async remove(): Promise<void> {
    await Promise.all(this.started.map((server) => server.stop('SIGKILL')));
    await this.database.drop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Disables optimizations that pay off too late for processes of tests. */
const QUICK = [process.execPath, '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-opt'];
export const SERVER = [...QUICK, 'dist/bundle/main.js'];
/** Program and first arguments of a command. */
export const CLI = [...QUICK, 'dist/bundle/cli.js'] as const;

/** The server as its own process, as `npm start` runs it. */
export class ServerProcess {
  readonly child: ChildProcess;
  output = '';
  readonly exited: Promise<number | NodeJS.Signals>;

  constructor(settings: Record<string, string>, [program, ...args]: string[] = SERVER, cwd = root) {
    const env = { ...BARE, HOST: '127.0.0.1', ...settings };
    this.child = spawnOwn(program!, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout!.on('data', (chunk) => (this.output += String(chunk)));
    this.child.stderr!.on('data', (chunk) => (this.output += String(chunk)));
    this.exited = new Promise((resolve) => this.child.once('close', (code, signal) => resolve(code ?? signal!)));
  }

  /** Resolves to the URL of the server once it serves. */
  async ready(): Promise<string> {
    const line = await this.until(/\{[^\n]*"msg":"ready"[^\n]*\}/);
    return `http://localhost:${(JSON.parse(line) as { port: number }).port}`;
  }

  /** Resolves to the first match of a pattern in the output. */
  until(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const streams = [this.child.stdout!, this.child.stderr!];
      const check = () => {
        const match = pattern.exec(this.output);
        if (!match) return;
        for (const stream of streams) stream.off('data', check);
        resolve(match[0]);
      };
      for (const stream of streams) stream.on('data', check);
      void this.exited.then((code) => reject(new Error(`exited with ${code}: ${this.output}`)));
      check();
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.exited;
  }
}
