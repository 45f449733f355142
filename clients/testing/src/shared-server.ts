import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, lstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installedServer, NODE } from './installed-server.js';
import { isAbandoned, makeFolder, nameOwner } from './owned-folder.js';

const SUPERVISOR = fileURLToPath(new URL('./supervisor.js', import.meta.url));
const OWN = 'platform-services-own-';
const LOG = 'server.log';
const MAX_QUOTED = 500;
const LOOK_MS = 20;

/** File that the supervisor of a server writes once it serves, or with the reason why it could not start. */
export interface State {
  address: string;
  testingKey: string;
  /** The server runs as long as a connection to this port is open. */
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

/** Joins the server of this command and these settings, starting it if necessary. */
export async function join({ isShared, command: given, env, timeoutMs }: Wanted): Promise<Lease> {
  const command = given ?? (await installedServer());
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
  throw new Error(`platform-services did not start within ${timeoutMs} ms; ${endOfLog(path(folder, LOG))}`);
}

/** Quotes the last line of a log, for an error. */
function endOfLog(file: string): string {
  try {
    const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!.slice(0, MAX_QUOTED);
    return last === '' ? `its log ${file} is empty` : `its log ${file} ends with: ${last}`;
  } catch {
    return 'it wrote no log';
  }
}

/** Returns a key that is equal for all callers that request the same server. */
function sharedFolder(command: string[], env: Record<string, string>): string {
  const wanted = JSON.stringify([command, process.cwd(), Object.entries(env).sort()]);
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return path(tmpdir(), `platform-services-shared-${process.getuid?.() ?? 'user'}-${name}`);
}

function launch(folder: string, { isShared, command, env }: Omit<Wanted, 'timeoutMs'>): void {
  const log = openSync(path(folder, LOG), 'a', 0o600);
  const child = spawn(NODE, [SUPERVISOR, folder, isShared ? 'shared' : 'own', JSON.stringify(command)], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...bare(), ...env },
  });
  child.unref();
  closeSync(log);
  nameOwner(folder, child.pid!);
}

/** Removes settings of the application under test, such as DATABASE_URL. */
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

/** Removes the folders of killed supervisors. */
function removeAbandoned(): void {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(OWN));
  for (const folder of folders.map((name) => path(tmpdir(), name))) {
    if (isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the connection that holds the server, if it still runs. It does not hold this process. */
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

/** Waits for an exclusive server to exit, so that its data is removed. */
async function release(socket: Socket, ownFolder: string | undefined): Promise<void> {
  socket.ref();
  socket.end();
  if (!socket.closed) await once(socket, 'close');
  while (ownFolder && lstatSync(ownFolder, { throwIfNoEntry: false })) await sleep(LOOK_MS);
}
