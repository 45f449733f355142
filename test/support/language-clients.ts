import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { SERVICES } from '../../clients/js/scripts/schemas.mjs';
import { type MimePart, readMail } from './mime.js';
import { freePort } from './process.js';
import { TestServer } from './server.js';
import { RECEIVER_SETTINGS } from './webhooks.js';
import { until } from './websockets.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT_MS = 400_000;

interface Ran {
  status: number;
  stdout: string;
  /** Standard output, then standard error. */
  output: string;
}

export const pathOf = (name: string): string => join(root, name);

/** Runs a program to its end. */
export function runProgram(program: string, args: string[], cwd: string, env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: LIMIT_MS, maxBuffer: 1 << 26 };
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, output: `${stdout}${stderr}` });
    });
  });
}

/** Starts a server whose URLs lead through a port, on which the tests of a client listen with a proxy of their own. */
export async function serverBehindProxy(): Promise<{ stop(): Promise<void>; env: Record<string, string> }> {
  const port = await freePort();
  const server = await TestServer.start({
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBSOCKET_URL: `ws://127.0.0.1:${port}`,
    MAX_UPLOAD_BYTES: String(128 * 1024 * 1024),
    ...RECEIVER_SETTINGS,
  });
  return {
    stop: async () => void (await server.stop()),
    env: {
      PLATFORM_SERVER: server.address,
      PLATFORM_KEY: await server.createKey(),
      PLATFORM_PROXY_PORT: String(port),
      PLATFORM_CODES: JSON.stringify(codes()),
      PLATFORM_OPERATIONS: JSON.stringify(operations()),
    },
  };
}

/** Codes that have a class in the JavaScript client. */
function codes(): string[] {
  const source = readFileSync(pathOf('clients/js/src/errors.ts'), 'utf8');
  return [...source.matchAll(/^ {2}([A-Z_]+): \w+Error,$/gm)].map(([, code]) => code!);
}

/** Operation names of each service. */
function operations(): Record<string, string[]> {
  const names = Object.entries(SERVICES).map(([name, service]) => {
    const schema = buildSchema(readFileSync(pathOf(`schema/${service}.graphql`), 'utf8'));
    const roots = [schema.getQueryType()!, schema.getMutationType()!];
    return [name, roots.flatMap((type) => Object.keys(type.getFields()))] as const;
  });
  return Object.fromEntries(names);
}

/** Runs the program of a five-minute page, and returns the mail that it sent. */
export async function mailOfPage(
  page: string,
  { language, file, run }: { language: string; file: string; run: (folder: string, env: Record<string, string>) => Promise<Ran> },
): Promise<MimePart> {
  const [, program] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readFileSync(pathOf(page), 'utf8'))!;
  const server = await TestServer.start();
  const folder = mkdtempSync(join(tmpdir(), 'platform-services-page-'));
  try {
    writeFileSync(join(folder, file), program!);
    writeFileSync(join(folder, 'invoice.txt'), '120 EUR');
    const { output, status } = await run(folder, { PLATFORM_URL: server.address, PLATFORM_KEY: await server.createKey() });
    expect({ output, status }).toEqual({ output: expect.any(String), status: 0 });
    const mails = join(server.dataDir, 'mail');
    const [name] = await until(() => {
      const found = existsSync(mails) ? readdirSync(mails).filter((one) => one.endsWith('.eml')) : []; // made with the first mail
      return found.length > 0 ? found : undefined;
    });
    return readMail(readFileSync(join(mails, name!)));
  } finally {
    rmSync(folder, { recursive: true });
    await server.stop();
  }
}
