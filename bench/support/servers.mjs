// Starts the programs that a bench compares, each in a separate process on a free port. When the bench exits for any reason, stops them
// and removes the folder of the run.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '../../scripts/schemas.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_LIMIT_MS = 120_000;
// Sets empty values, which count as unset: neither the shell nor an .env file may affect the comparison.
const DEFAULTS = {
  DATABASE_URL: '',
  S3_ENDPOINT: '',
  REDIS_URL: '',
  SMTP_URL: '',
  EMAIL_FROM: '',
  PUBLIC_URL: '',
  BOOTSTRAP_API_KEY: '',
  RATE_LIMIT_PER_MINUTE: '',
  MAX_UPLOAD_BYTES: '',
  OTEL_EXPORTER_OTLP_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '',
};
const running = new Set();

/** Folder of this run; TMPDIR selects the disk. */
export const folder = mkdtempSync(join(tmpdir(), 'bench-'));
export const dataDir = join(folder, 'ours');

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Returns the whole environment of a server of this run. */
export const environment = (given) => ({
  ...process.env,
  ...DEFAULTS,
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  SECRET_KEY: 'the same for both, and of no use elsewhere',
  DATA_DIR: dataDir,
  ...given,
});

const isReady = (status) => status === 200;

/**
 * Runs a program of this repository or of another checkout, and waits until GET `path` meets `upWhen`. Chooses a free port if PORT is
 * not set.
 */
export async function start(program, options = {}) {
  const { path = '/health/ready', upWhen = isReady, args = [], root = ROOT, node = process.execPath, ...given } = options;
  const port = given.PORT ?? (await freePort());
  const address = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = spawn(node, [join(root, program), ...args], {
    env: environment({ PORT: String(port), ...given }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child));
  while (!upWhen(await statusOf(address + path))) {
    if (child.exitCode !== null || performance.now() - startedAt > START_LIMIT_MS) throw new Error(`${program} did not start`);
    await delay(5);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { address, pid: child.pid, startMs: performance.now() - startedAt, stop, kill };
}

const ALL_SERVICES = SERVICES.flatMap((service) => [`${service}-api:query:*`, `${service}-api:mutation:*`]).join(' ');

/** Creates a key for all operations in the server's database, with the commands of this or another checkout. */
export function createKey(given = {}, root = ROOT, { tenant = 'bench', scope = ALL_SERVICES } = {}) {
  const args = ['run', '-s', 'keys', '--', 'create', '--tenant', tenant, '--scope', scope];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, env: environment(given), encoding: 'utf8' });
  if (status !== 0) throw new Error(`no key could be made: ${stderr}`);
  return stdout.trim();
}

/** Returns a free port. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function statusOf(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', () => resolve(undefined));
  });
}
