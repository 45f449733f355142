import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Config } from '../common/config/config.js';
import { faultOfNode, machineMemoryBytes, NODE_ADVICE } from '../common/config/machine.js';
import { driverFault, tryDriver } from '../common/database/sqlite/sqlite-driver.js';
import { connectionsByOpenFiles } from '../common/http/open-files.js';
import { MIB } from '../common/base/amounts.js';
import { readPostgresClock } from '../common/database/migrator.js';
import { Fault } from './fault.js';

const ANSWER_MS = 2_000;
const BROWSER_MS = 10_000;
/** Memory of a server that handles requests, without its browsers. */
const SERVER_BYTES = 512 * MIB;

/** Returns the version of Node. Unsupported versions never get here: bin/platform-services.mjs refuses them. */
export function checkNode(): string {
  const { node } = process.versions;
  const fault = faultOfNode(node);
  if (fault) throw new Fault(fault, NODE_ADVICE, 'warning');
  return `${node}, which is supported`;
}

export function checkSqlite({ isPostgres }: Config): string {
  try {
    return `driver loaded, SQLite ${tryDriver()}`;
  } catch (error) {
    if (isPostgres) return 'not used';
    const fault = driverFault(error as Error);
    if (!fault) throw error;
    const [what = '', ...advice] = fault.split('; ');
    throw new Fault(what, advice.join('; '));
  }
}

export function checkOpenFiles({ maxConnections }: Config): string {
  const room = connectionsByOpenFiles();
  if (room >= maxConnections) return 'enough for WEBSOCKET_MAX_CONNECTIONS';
  const advice = 'raise the hard limit (ulimit -Hn, LimitNOFILE=), or lower WEBSOCKET_MAX_CONNECTIONS';
  throw new Fault(`the limit leaves room for ${room} connections of ${maxConnections}`, advice, 'warning');
}

/** Listens for a moment. Accepts a running server of ours on the port, since `doctor` may run beside it. */
export async function checkPort({ port, host }: Config): Promise<string> {
  const code = await listen(port, host);
  if (!code) return port === 0 ? 'any free one' : `${port} is free`;
  if (code === 'EADDRINUSE' && (await isServed(port))) return `${port} is served by a running platform-services`;
  if (code === 'EADDRINUSE') throw new Fault(`${port} is in use by another program`, 'stop that program, or set another PORT');
  if (code === 'EACCES') throw new Fault(`${port} is not open to this user`, 'set PORT to 1024 or higher');
  throw new Fault(`HOST ${host} cannot be listened on: ${code}`, 'set HOST to 0.0.0.0, or to an address of this machine');
}

/** Returns the error code, if any. */
export function listen(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

async function isServed(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://localhost:${port}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return ((await response.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

/** Checks that the browser or Gotenberg for PDFs works. */
export async function checkPdf({ chromiumPath, pdfUrl, pdfMemoryBytes, workers }: Config): Promise<string> {
  if (pdfUrl) return checkGotenberg(pdfUrl);
  if (!chromiumPath) return 'not used: renderFile is refused, until CHROMIUM_PATH names a Chromium or PDF_URL a Gotenberg';
  try {
    const { stdout } = await promisify(execFile)(chromiumPath, ['--version'], {
      timeout: BROWSER_MS,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    });
    return `${stdout.trim()}; ${memoryOfBrowsers(pdfMemoryBytes * workers)}`;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(
      `CHROMIUM_PATH does not start: ${(error as Error).message.split('\n', 1)[0]}`,
      'set it to a Chromium that this user may run',
    );
  }
}

/** Compares the maximum memory of the browsers with the limit of the cgroup, or the memory of the machine. */
function memoryOfBrowsers(browserBytes: number): string {
  const limitBytes = machineMemoryBytes();
  const [browsers, limit] = [browserBytes, limitBytes].map((bytes) => `${Math.floor(bytes / MIB)} MiB`);
  const detail = `its browsers take up to ${browsers} of ${limit}`;
  if (browserBytes + SERVER_BYTES <= limitBytes) return detail;
  const advice = `lower PDF_MEMORY_BYTES, or give the container more: the server itself needs ${SERVER_BYTES / MIB} MiB`;
  throw new Fault(`${detail}, which leaves too little for the server`, advice, 'warning');
}

async function checkGotenberg(address: string): Promise<string> {
  try {
    const { ok, status } = await fetch(`${address}/health`, { signal: AbortSignal.timeout(BROWSER_MS) });
    if (!ok) throw new Error(`its /health answered ${status}`);
    return 'the Gotenberg of PDF_URL is up';
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    throw new Fault(`the Gotenberg of PDF_URL is not up: ${cause?.code ?? message}`, 'start it, or set PDF_URL to one that runs');
  }
}

const CLOCK_ANSWER_MS = 5_000;
/** Tolerated difference: leases and expiries tolerate less, and the Date header of a store has whole seconds. */
const MUCH_MS = 5_000;
/** Difference above which S3 refuses signed requests. */
const TOO_MUCH_MS = 15 * 60_000;

/** Compares the clock of this machine with those of its dependencies. Their own checks report one that is unreachable. */
export async function checkClock({ isPostgres, databaseUrl, minio }: Config): Promise<string> {
  const clocks: [string, () => Promise<number>][] = [];
  if (isPostgres) clocks.push(['the database', () => readPostgresClock(databaseUrl)]);
  if (minio) clocks.push(['the store', () => storeClock(minio.endpoint)]);
  const offs = await Promise.all(clocks.map(([name, read]) => offOf(name, read)));
  const [worst] = offs.filter((off) => off !== undefined).sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  if (!worst) return clocks.length > 0 ? 'not compared' : 'nothing to compare with';
  const { name, ms } = worst;
  if (Math.abs(ms) <= MUCH_MS) return `as those of ${clocks.map(([one]) => one).join(' and ')}`;
  const state = Math.abs(ms) > TOO_MUCH_MS ? 'failed' : 'warning';
  const amount = `${Math.round(Math.abs(ms) / 1_000)} s ${ms > 0 ? 'behind' : 'ahead of'}`;
  throw new Fault(`the clock here is ${amount} that of ${name}`, 'let NTP set the clocks of both machines', state);
}

/** Returns how far the other clock is ahead, allowing for the duration of the request. */
async function offOf(name: string, read: () => Promise<number>): Promise<{ name: string; ms: number } | undefined> {
  const asked = Date.now();
  const told = await read().catch(() => undefined);
  if (told === undefined || !Number.isFinite(told)) return undefined;
  const answered = Date.now();
  if (told >= asked && told <= answered) return { name, ms: 0 };
  return { name, ms: told > answered ? told - answered : told - asked };
}

/** Reads the clock of a store. The response may be a refusal: only its date matters. */
async function storeClock(endpoint: string): Promise<number> {
  const { headers } = await fetch(endpoint, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(CLOCK_ANSWER_MS) });
  return Date.parse(headers.get('date') ?? '');
}
