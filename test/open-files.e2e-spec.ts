import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Deployment, SERVER } from './support/process.js';
import { until } from './support/websockets.js';

const MANY = 400;

/** One request on a connection of an agent. */
function send(agent: Agent, url: string, options: object, body: string | Buffer = ''): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode!, body: text }));
    });
    sent.once('error', reject).end(body);
  });
}

it('a process keeps files to open beside its connections: requests that are served store their content', async () => {
  const deployment = await Deployment.create();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const idle: Socket[] = [];
  try {
    const limited = ['sh', '-c', `ulimit -n ${MANY} && exec "$0" "$@"`, ...SERVER];
    const address = (await deployment.start({ PORT: '0' }, limited).ready()).replace('localhost', '127.0.0.1');
    const key = await deployment.keys('create', '--tenant', 'files', '--scope', ALL_SCOPES);
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const query = JSON.stringify({ query: 'mutation{createFile(input:{name:"a.txt"}){uploadUrl}}' });
    const created = await send(agent, `${address}/file-management/graphql`, { method: 'POST', headers }, query);
    const { uploadUrl } = JSON.parse(created.body).data.createFile;

    let closed = 0;
    for (let count = 0; count < MANY; count++) {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.once('close', () => closed++).on('error', () => undefined);
      idle.push(socket);
    }
    await until(async () => closed > 100);
    const content = Buffer.alloc(100_000, 'content');
    const path = new URL(uploadUrl);
    const uploaded = await send(agent, `${address}${path.pathname}${path.search}`, { method: 'PUT' }, content);
    expect(uploaded.status).toBe(200);
    expect(closed).toBeLessThan(MANY); // others stayed
  } finally {
    agent.destroy();
    for (const socket of idle) socket.destroy();
    await deployment.remove();
  }
}, 60_000);
