// One journey over all five services, through the API of a server: on another version of Node, or in a container.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { SERVICES } from '../../scripts/schemas.mjs';

const LIMIT_MS = 120_000;
/** Scope of a tenant for everything. */
export const ALL_SCOPES = SERVICES.flatMap((service) => [`${service}-api:query:*`, `${service}-api:mutation:*`]).join(' ');

/**
 * Starts the server of `folder` with the program `node`, goes through all services, and stops it; then starts it again on what it has, until it
 * was started as often as asked. @throws what went wrong, and where
 */
export async function travel(node, folder, { args, starts }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'journey-'));
  const mail = await startMailServer();
  const settings = { DATA_DIR: dataDir, SMTP_URL: mail.url, EMAIL_FROM: 'journey@sender.example' };
  let server = startServer(node, folder, settings, args);
  try {
    const { address, key } = await server.connect();
    await Promise.race([visit(address, key, () => mail.received), server.died]);
    assert.equal(await within(LIMIT_MS, server.stop()), 0, 'stop');
    for (let start = 2; start <= starts; start++) {
      server = startServer(node, folder, settings, args);
      await server.address();
      assert.equal(await within(LIMIT_MS, server.stop()), 0, `stop ${start}`);
    }
  } catch (error) {
    throw new Error(`${error.message}\n${server.output().slice(-3_000)}`, { cause: error });
  } finally {
    server.kill();
    mail.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Goes through all services at an address, with the key of a tenant that has nothing yet. `mails` returns all mails that arrived,
 * as they are, newest first. @throws what went wrong, and where
 */
export async function visit(address, key, mails) {
  const services = { address, ask: (service, query, variables) => ask(`${address}/${service}/graphql`, key, query, variables) };
  for (const [name, go] of Object.entries(STEPS)) {
    await within(LIMIT_MS, go(services, mails)).catch((error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  }
}

/** In this order: later ones use what earlier ones made. */
const STEPS = {
  async 'everything is ready'({ address }) {
    const ready = await until(async () => {
      const { checks, status } = await (await fetch(`${address}/health/ready`)).json();
      return status === 'ok' && checks;
    });
    assert.deepEqual(new Set(Object.values(ready)), new Set(['ok']));
  },

  async 'an upload'({ ask }) {
    const { createFile } = await ask('file-management', 'mutation{createFile(input:{name:"a.txt",public:true}){id uploadUrl}}');
    const { status } = await fetch(createFile.uploadUrl, { method: 'PUT', body: 'content' });
    assert.equal(status, 200);
    const { file } = await ask('file-management', `{file(ID:"${createFile.id}"){status downloadUrl}}`);
    assert.equal(file.status, 'done');
    assert.equal(await (await fetch(file.downloadUrl)).text(), 'content');
  },

  async 'a template with a loop and a stylesheet'({ ask }) {
    const style = { name: 'style', text: 'li { color: red }' };
    const { createCss } = await ask('document-rendering', 'mutation($input:CreateCssInput!){createCss(input:$input){id}}', {
      input: style,
    });
    const body = '<ul>{% for item in items %}<li>{{ item.name }}</li>{% endfor %}</ul>';
    const input = { name: 'order', type: 'email', contentType: 'html', subject: 'Hi', body, parentCssId: createCss.id };
    await ask('document-rendering', 'mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', { input });
    const rendering = { templateName: 'order', params: PARAMS };
    const { render } = await ask('document-rendering', 'query($input:RenderingInput!){render(input:$input){body}}', {
      input: rendering,
    });
    assert.match(render.body, /<li style="color: red;">a &amp; b<\/li><li style="color: red;">c<\/li>/);
  },

  async 'a mail with it'({ ask }, mails) {
    const address = `${randomUUID()}@example.com`;
    const input = { to: [{ address }], templateName: 'order', params: PARAMS };
    await ask('email', 'mutation($input:SendMessageInput!){sendMessage(input:$input){id}}', { input });
    const raw = await until(async () => (await mails()).find((mail) => mail.includes(address)));
    assert.match(raw, /color: ?red/);
    assert.match(raw, /a &amp; b/);
  },

  async 'a push'({ ask }) {
    const register = 'mutation($input:RegisterRecipientInput!){registerRecipient(input:$input){connectionUri}}';
    const { registerRecipient } = await ask('websockets-manager', register, { input: { recipient: 'ann' } });
    const socket = new WebSocket(registerRecipient.connectionUri);
    await once(socket, 'open');
    const frame = once(socket, 'message');
    await ask('websockets-manager', 'mutation($input:MessageInput!){pushMessage(input:$input){error{message}}}', {
      input: { recipients: ['ann'], message: 'hello' },
    });
    assert.equal(JSON.parse(String((await frame)[0])).message, 'hello');
    socket.terminate();
  },

  async 'a log record, sealed and verified'({ ask }) {
    const input = { documentId: 'd', documentType: 'order', dateTime: new Date().toISOString() };
    await ask('document-log', 'mutation($input:CreateLogInput!){createLog(input:$input){itemId}}', { input });
    const verify = '{verifyLogs{valid checkedRecords unsealedRecords}}';
    const sealed = await until(async () => {
      const { verifyLogs } = await ask('document-log', verify);
      return verifyLogs.checkedRecords > 0 && verifyLogs.unsealedRecords === 0 && verifyLogs;
    });
    assert.deepEqual({ ...sealed }, { valid: true, checkedRecords: 1, unsealedRecords: 0 });
  },
};
const PARAMS = JSON.stringify({ items: [{ name: 'a & b' }, { name: 'c' }] });

/** Starts the build in `folder` on a free port. Another program and its arguments may do so too, as a group of processes. */
export function startServer(program, folder, settings, args = ['dist/bundle/main.js']) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const exited = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const died = exited.then((code) => Promise.reject(new Error(`the server ended with ${code}`)));
  died.catch(() => undefined);
  const seen = (pattern) => within(LIMIT_MS, Promise.race([until(() => pattern.exec(output)), died]));
  return {
    died,
    output: () => output,
    kill: () => child.exitCode ?? child.signalCode ?? process.kill(-child.pid, 'SIGKILL'),
    async stop() {
      process.kill(-child.pid, 'SIGTERM');
      return exited;
    },
    async address() {
      const [, port] = await seen(/"port":(\d+).*"msg":"ready"/);
      return `http://localhost:${port}`;
    },
    /** Uses a new database, whose first key is printed. */
    async connect() {
      const address = await this.address();
      const [key] = await seen(/psk_\w+(?=\n)/);
      return { address, key };
    },
  };
}

export async function ask(endpoint, key, query, variables = {}) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

export async function startMailServer() {
  const { SMTPServer } = await import('smtp-server'); // what needs no mail server runs without the packages of tests
  const received = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const read = async () => {
        try {
          received.push(Buffer.concat(await stream.toArray()).toString());
          done();
        } catch (error) {
          done(error); // a server that was killed ends its mail in the middle
        }
      };
      void read();
    },
  });
  server.on('error', () => undefined); // a server that was killed leaves its connection broken
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { received, url: `smtp://127.0.0.1:${server.server.address().port}`, close: () => server.close() };
}

/** Returns what `poll` finds, as soon as it finds something. */
export async function until(poll) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(20)) {
    const found = await poll();
    if (found) return found;
  }
  throw new Error('did not happen');
}

async function within(limitMs, work) {
  const ended = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`took more than ${limitMs / 1_000} s`);
  });
  limit.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    ended.abort();
  }
}
