// Follows the five-minute pages with the packages of a release, each in an empty folder: in a container that has one language alone, or
// on this machine where there are no containers. For npm run test:release.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { published, readPage } from './five-minute-pages.mjs';
import { run } from './package-installs.mjs';
import { root } from './prepare.mjs';

const INVOICE = '120 EUR';
const LIMIT_MS = 10 * 60_000;
const NODE_IMAGE = 'node:24-bookworm-slim';

/** Language of each page and, for those that start a server, its port. */
export const PAGES = {
  javascript: { language: 'npm' },
  nestjs: { language: 'npm' },
  react: { language: 'npm', port: 4173, act: chooseFile },
  nextjs: { language: 'npm', port: 8080 },
  python: { language: 'python3' },
  fastapi: { language: 'python3', port: 8000 },
  go: { language: 'go' },
};

/** Returns the image in which each language is found, as far as the engine can run or build it. */
export async function languageImages(engine) {
  if (!engine || !(await engine.runs([NODE_IMAGE]))) return {};
  const images = { npm: NODE_IMAGE };
  for (const [language, name] of Object.entries({ python3: 'python', go: 'go' })) {
    const tag = `platform-services-page-${name}`;
    await engine.build(tag, 'test/containers/pages', `test/containers/pages/${name}.Dockerfile`).then(
      () => (images[language] = tag),
      () => console.log(`left out: a container for ${name}, whose image cannot be built`),
    );
  }
  return images;
}

/**
 * Types what a page says. Its last command is typed on this machine if the page starts a server, like the request of another shell.
 * @param place the folder; the image, or undefined for this machine; the engine; and the environment of all commands
 * @param mails returns the mails that the server has sent, oldest first
 */
export async function followPage(name, { folder, image, engine, env, release, mails }) {
  const { port, act } = PAGES[name];
  const { files, commands } = readPage(name);
  for (const [path, text] of Object.entries({ ...files, 'invoice.txt': INVOICE })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (port) assert.ok(!(await listens(port)), `port ${port} of the page is in use`);
  const typed = commands.map((command) => published(command, release));
  const last = port && !act ? typed.pop() : undefined;
  const before = (await mails()).length;
  const shell = startShell(typed.join('\n'), { folder, image, engine, env });
  try {
    if (!port) assert.equal(await shell.exit, 0, shell.output());
    else {
      await until(() => listens(port), shell);
      if (act) await act(`http://localhost:${port}`, folder);
      else await run('sh', ['-c', last], { cwd: folder, timeout: LIMIT_MS });
    }
    const [mail] = await until(async () => (await mails()).slice(before), shell);
    assert.match(mail, /invoice\.txt/);
    assert.ok(mail.includes(Buffer.from(INVOICE).toString('base64')), 'the attachment has the content of the file');
  } finally {
    await shell.stop();
  }
  return image ? `in a container of ${image}` : 'on this machine';
}

/** Chooses a file on a page in a browser. */
function chooseFile(address, folder) {
  const env = { ...process.env, CHROMIUM: process.env.TEST_CHROMIUM };
  return run(process.execPath, [join(root, 'test', 'browser', 'react-page.mjs'), address, join(folder, 'invoice.txt')], { env });
}

/** Starts commands, which end at the first that fails. The folder above `folder` has the packages, and is shared with a container. */
function startShell(script, { folder, image, engine, env }) {
  const name = `platform-services-page-${randomUUID()}`;
  const shared = dirname(dirname(folder));
  const settings = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const [program, ...args] = image
    ? [engine.program, 'run', '--rm', '--name', name, '--network=host', '--volume', `${shared}:${shared}`, '--workdir', folder]
        .concat(settings, [image, 'sh', '-ec', script]) // prettier-ignore
    : ['sh', '-ec', script];
  const child = spawn(program, args, {
    cwd: folder,
    env: image ? process.env : { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const exit = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  return {
    exit,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    output: () => output.slice(-3_000),
    async stop() {
      if (image) spawnSync(engine.program, ['kill', name], { stdio: 'ignore' });
      else if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
      await exit;
    },
  };
}

/** Returns what `poll` finds, unless the shell has failed by then. */
async function until(poll, shell) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await poll();
    if (Array.isArray(found) ? found.length > 0 : found) return found;
    if (shell.hasEnded() && (await shell.exit) !== 0) break;
  }
  throw new Error(`it did not happen\n${shell.output()}`);
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    socket.once('connect', () => (socket.destroy(), resolve(true))).once('error', () => resolve(false));
  });
}
