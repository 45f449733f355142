import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join as path } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SUPERVISOR = fileURLToPath(new URL('./supervisor.js', import.meta.url));
/** The server runs in Node, also for tests that Bun or Deno runs. */
const NODE = process.versions.bun || process.versions.deno ? 'node' : process.execPath;
const OWN = 'platform-services-own-';
const LOOK_MS = 20;
/** A folder without the id of a process by then was left by one that died. */
const UNFINISHED_MS = 60_000;

/** The letter that the supervisor of a server writes once it serves, or why it could not start. */
export interface State {
  address: string;
  testingKey: string;
  /** As long as a connection to this port is open, the server stays. */
  leasePort: number;
  fault?: string;
}

export interface Lease extends State {
  release(): Promise<void>;
}

export interface Wanted {
  isShared: boolean;
  command?: string[];
  env: Record<string, string>;
  timeoutMs: number;
}

/** Joins the server of that command and those settings, and starts it unless it runs. */
export async function join({ isShared, command = installed(), env, timeoutMs }: Wanted): Promise<Lease> {
  removeAbandoned();
  const folder = isShared ? sharedFolder(command, env) : mkdtempSync(path(tmpdir(), OWN));
  if (!isShared) launch(folder, { isShared, command, env });
  for (const until = Date.now() + timeoutMs; Date.now() < until; await sleep(LOOK_MS)) {
    if (isShared && makeFolder(folder)) launch(folder, { isShared, command, env });
    const state = readState(folder);
    if (state?.fault !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      throw new Error(`platform-services did not start: ${state.fault}`);
    }
    const socket = state && (await reach(state.leasePort));
    if (socket) return { ...state, release: () => release(socket, isShared ? undefined : folder) };
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  }
  throw new Error(`platform-services did not start within ${timeoutMs} ms; ${folder} has its log`);
}

/** Returns how to start the package, which is found from the folder that the tests run in. */
function installed(): string[] {
  const require = createRequire(path(process.cwd(), 'package.json'));
  try {
    const manifest = require.resolve('platform-services/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
    return [NODE, path(dirname(manifest), bin['platform-services']!), 'start'];
  } catch (error) {
    throw new Error(
      'the package platform-services is not installed: add it beside @platform-services/testing, or give `command`',
      {
        cause: error,
      },
    );
  }
}

/** The same for all callers that want the same server. */
function sharedFolder(command: string[], env: Record<string, string>): string {
  const wanted = JSON.stringify([command, process.cwd(), Object.entries(env).sort()]);
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return path(tmpdir(), `platform-services-shared-${process.getuid?.() ?? 'user'}-${name}`);
}

/** Returns whether the folder was made now, and so the server is ours to start. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    const isOurs = !stat || (stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid()));
    if (!isOurs) throw new Error(`${folder} belongs to another user; remove it`, { cause: error });
    return false;
  }
}

function launch(folder: string, { isShared, command, env }: Omit<Wanted, 'timeoutMs'>): void {
  const log = openSync(path(folder, 'server.log'), 'a', 0o600);
  const child = spawn(NODE, [SUPERVISOR, folder, isShared ? 'shared' : 'own', JSON.stringify(command)], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...bare(), ...env },
  });
  child.unref();
  closeSync(log);
  writeFileSync(path(folder, 'pid'), String(child.pid));
}

/** Settings of the application under test, such as DATABASE_URL, are not those of the server. */
function bare(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

function readState(folder: string): State | undefined {
  try {
    return JSON.parse(readFileSync(path(folder, 'state.json'), 'utf8')) as State;
  } catch {
    return undefined;
  }
}

/** Removes what supervisors left behind that were killed. */
function removeAbandoned(): void {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(OWN));
  for (const folder of folders.map((name) => path(tmpdir(), name))) {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the supervisor of the folder was killed, or the process that should have started it. */
function isAbandoned(folder: string): boolean {
  try {
    process.kill(Number(readFileSync(path(folder, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return true;
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    return code === 'ENOENT' && stat !== undefined && Date.now() - stat.mtimeMs > UNFINISHED_MS;
  }
}

/** Opens the connection that keeps the server, if it is still there. It does not keep this process. */
async function reach(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data'); // its greeting: it will stay
    socket.on('error', () => undefined);
    socket.unref();
    return socket;
  } catch {
    return undefined;
  }
}

/** Waits for the end of a server that nobody else can use, so that its data is gone. */
async function release(socket: Socket, ownFolder: string | undefined): Promise<void> {
  socket.ref();
  socket.end();
  if (!socket.closed) await once(socket, 'close');
  while (ownFolder && lstatSync(ownFolder, { throwIfNoEntry: false })) await sleep(LOOK_MS);
}
