import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestIssuer } from '../nodes/issuer.mjs';
import { type Need, needing, SERVICE } from './needs.js';
import { AUDITING_ADMIN_SCOPE, type Settings, TestServer } from './server.js';

const { TEST_CHROMIUM } = process.env;

interface Check {
  /** A program of test/browser. */
  program: string;
  /** Passes the program the URL of a server of its own, a tenant key and an operator key. */
  withServer?: boolean;
  /** Settings of that server, which the program has as variables too. */
  settings?: Settings;
  /** Claims of people who sign in to that server, by login. The tenants acme and beta exist. */
  people?: Record<string, object>;
  /** Needs beside the browser. */
  needs?: Need[];
}

/** Creates a test from a program that drives a real browser: each of its lines that begins with FAIL is a failure. */
export function itInBrowser(guarantee: string, { program, withServer = false, settings, people, needs = [] }: Check): void {
  const path = fileURLToPath(new URL(`../browser/${program}`, import.meta.url));
  needing(SERVICE.chromium, ...needs).it(guarantee, async () => {
    const issuer = people && (await TestIssuer.start());
    if (issuer) issuer.people = people;
    const server = withServer ? await TestServer.start({ ...settings, ...issuer?.settings() }) : undefined;
    if (issuer) await server?.createKey(undefined, 'beta');
    const args = server
      ? [path, server.address, await server.createKey(undefined, 'acme'), await server.createAdminKey(AUDITING_ADMIN_SCOPE)]
      : [path];
    const env = { ...process.env, ...settings, CHROMIUM: TEST_CHROMIUM };
    const checked = promisify(execFile)(process.execPath, args, { env });
    const { stdout, stderr } = await checked.catch((error: { stdout: string; stderr: string }) => error);
    await server?.stop();
    await issuer?.stop();
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect(stdout + stderr).toMatch(/all checks passed\n$/);
  });
}
