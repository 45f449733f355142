// @nightly postgresql: no SQL of its own
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './nodes/free-port.mjs';
import { endOwn, spawnOwn } from './nodes/own-process.mjs';
import { EventStream } from './support/event-streams.js';
import { needing, program, SERVICE } from './support/needs.js';
import { TestServer } from './support/server.js';
import { Push, until } from './support/websockets.js';

let server: TestServer;
let push: Push;
let folder: string;
const proxies: ChildProcess[] = [];
beforeAll(async () => {
  server = await TestServer.start();
  push = new Push(await server.api('websockets-manager'));
  folder = mkdtempSync(join(tmpdir(), 'proxies-'));
});
afterAll(async () => {
  for (const proxy of proxies) await endOwn(proxy);
  rmSync(folder, { recursive: true });
  await server.stop();
});

interface Ports {
  /** Port of the server, and those on which the proxy serves HTTP/1.1 and HTTP/2. */
  server: number;
  one: number;
  two: number;
}

const haproxy = ({ server, one, two }: Ports): string => `defaults
  mode http
  timeout connect 2s
  timeout client 65s
  timeout server 65s
frontend f
  bind 127.0.0.1:${one}
  bind 127.0.0.1:${two} proto h2
  default_backend b
backend b
  server s 127.0.0.1:${server}
`;
const nginx = ({ server, one, two }: Ports): string => `daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${one};
    listen 127.0.0.1:${two} http2;
    location / { proxy_pass http://127.0.0.1:${server}; proxy_http_version 1.1; }
  }
}
`;

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });

async function started(name: string, settings: (ports: Ports) => string): Promise<Ports> {
  const { eventsUri } = await push.register('ann');
  const ports = { server: Number(new URL(eventsUri).port), one: await freePort(), two: await freePort() };
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, settings(ports));
  proxies.push(spawnOwn(name, name === 'nginx' ? ['-c', file, '-p', folder] : ['-db', '-f', file], { stdio: 'inherit' }));
  await until(() => canConnect(ports.one));
  return ports;
}

const through = (uri: string, port: number): string => uri.replace(/\/\/[^/]+\//, `//127.0.0.1:${port}/`);

/** Reads a stream over HTTP/2, into a text that grows. */
function overHttp2(session: ClientHttp2Session, uri: string): { text: () => string } {
  let text = '';
  const { pathname, search } = new URL(uri);
  const stream = session.request({ ':path': pathname + search });
  stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  return { text: () => text };
}

describe.each([
  ['haproxy', haproxy],
  ['nginx', nginx],
] as const)('an event stream behind %s', (name, settings) => {
  const { it } = needing(program(name));
  let ports: Ports;
  it('carries each frame at once over HTTP/1.1, with acknowledgements and the close', async () => {
    ports = await started(name, settings);
    const uri = through((await push.register('ann')).eventsUri, ports.one);
    const ann = await EventStream.open(uri);
    for (const text of ['one', 'two']) {
      const { item } = await push.push('ann', text);
      await until(() => ann.texts.includes(text));
      expect(await ann.acknowledge(item.id)).toBe(204);
      await push.settled(item.id, 'DELIVERED');
    }
    await push.disconnect('ann');
    expect(await ann.ended()).toMatchObject({ code: 4403 });
    expect(await EventStream.request(uri)).toBe(401);
  });

  it('carries each frame at once over HTTP/2, several streams on one connection, and sees them leave', async () => {
    const session = connectHttp2(`http://127.0.0.1:${ports.two}`);
    const uris = await Promise.all(['ann', 'bob'].map(async (one) => (await push.register(one)).eventsUri));
    const streams = uris.map((uri) => overHttp2(session, uri));
    await until(() => streams.every(({ text }) => text().includes('event: connection')));
    const { results } = await push.push(['ann', 'bob'], 'over h2');
    await until(() => streams.every(({ text }, index) => text().includes(`id: ${results[index].item.id}\n`)));
    session.destroy();
    await until(async () => (await push.connections('ann')).length === 0);
  });
});

needing(SERVICE.chromium, program('nginx')).it(
  "an event stream reaches a page of another origin by the browser's own EventSource, which stops once the token is revoked",
  async () => {
    const ports = await started('nginx', nginx);
    const uri = through((await push.register('eve')).eventsUri, ports.one);
    const said: string[] = [];
    const page = createServer((request, answer) => {
      if (request.method === 'POST') {
        request.setEncoding('utf8').on('data', (text: string) => said.push(text));
        return answer.end();
      }
      answer.setHeader('content-type', 'text/html');
      answer.end(`<script type="module">
        const say = (text) => fetch('/', { method: 'POST', body: text });
        const events = new EventSource(${JSON.stringify(uri)});
        let connection;
        events.addEventListener('connection', ({ data }) => { connection = JSON.parse(data).id; say('connected'); });
        events.addEventListener('close', ({ data }) => say('close ' + JSON.parse(data).code));
        events.onmessage = async ({ data, lastEventId }) => {
          const body = JSON.stringify({ ack: lastEventId });
          const { status } = await fetch(${JSON.stringify(uri)} + '&connection=' + connection, { method: 'POST', body });
          say(JSON.parse(data).message + ' ' + status);
        };
        events.onerror = () => events.readyState === EventSource.CLOSED && say('stopped');
      </script>`);
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const address = `http://localhost:${(page.address() as AddressInfo).port}/`;
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/chromium`];
    const browser = spawnOwn(process.env.TEST_CHROMIUM!, [...flags, '--remote-debugging-port=0', address], { stdio: 'ignore' });
    await until(() => said.includes('connected'));
    const { item } = await push.push('eve', 'hello');
    await until(() => said.includes('hello 204'));
    await push.settled(item.id, 'DELIVERED');
    await push.disconnect('eve');
    await until(() => said.includes('stopped'));
    expect(said).toEqual(['connected', 'hello 204', 'close 4403', 'stopped']);
    await endOwn(browser);
    page.closeAllConnections();
    page.close();
  },
);
