// node supervisor.js FOLDER shared|own COMMAND: runs one server for the tests that hold a connection to it, and removes everything
// afterwards.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { State } from './shared-server.js';

/** Time that a server waits for the next test file of a run. */
const UNUSED_MS = 2_000;
const FIRST_USE_MS = 10_000;
const START_LIMIT_MS = 120_000;
const KEPT_LINES = 20;

const [folder, kind, commandJson] = process.argv.slice(2) as [string, 'shared' | 'own', string];
const command = JSON.parse(commandJson) as string[];
const stateFile = join(folder, 'state.json');
const testingKey = randomBytes(24).toString('base64url');
supervise().catch((error: Error) => write({ address: '', testingKey: '', leasePort: 0, fault: error.message }));

async function supervise(): Promise<void> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const server = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // the channel ends the server if this process is killed
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128', // applications under test
      ...process.env,
      // The line with the port has level info.
      LOG_LEVEL: /^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '') ? process.env.LOG_LEVEL : 'info',
      NODE_ENV: 'test',
      DATA_DIR: data,
      TESTING_KEY: testingKey,
    },
  });
  const port = await portOf(server);
  const leases = createServer();
  const end = (): void => {
    leases.close();
    rmSync(stateFile, { force: true }); // from now on, others wait until the folder is gone
    server.kill();
  };
  process.on('SIGTERM', end);
  let unused = setTimeout(end, FIRST_USE_MS);
  let held = 0;
  leases.on('connection', (socket) => {
    clearTimeout(unused);
    held++;
    socket.write('yours\n');
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      held--;
      if (held === 0) unused = setTimeout(end, kind === 'shared' ? UNUSED_MS : 0);
    });
  });
  leases.listen(0, '127.0.0.1');
  await once(leases, 'listening');
  write({ address: `http://localhost:${port}`, testingKey, leasePort: (leases.address() as AddressInfo).port });
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

/** Returns the port once the server listens. @throws Error with its last lines */
function portOf(server: ChildProcess): Promise<number> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => server.kill('SIGKILL'), START_LIMIT_MS);
    for (const stream of [server.stdout!, server.stderr!]) {
      createInterface(stream).on('line', (line) => {
        process.stdout.write(`${line}\n`);
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        const [, port] = /"port":(\d+).*"msg":"ready"/.exec(line) ?? [];
        if (port === undefined) return;
        clearTimeout(limit);
        resolve(Number(port));
      });
    }
    server.once('error', reject);
    server.once('close', (code, signal) =>
      reject(new Error(`${command.join(' ')} ended with ${code ?? signal}: ${lines.join('\n')}`)),
    );
  });
}

/** Writes the state atomically. */
function write(state: State): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${stateFile}.new`, stateFile);
}
