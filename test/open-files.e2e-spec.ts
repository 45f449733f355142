import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Deployment, SERVER } from './support/process.js';
import { until } from './support/websockets.js';

const MANY = 400;
/** Maximum concurrent transfers of one direction for a tenant if a process may open 400 files: a quarter of a third of 200. */
const SHARE = 16;
const MEGABYTE = 1_000_000;

const isTimeout = (answer: Buffer): boolean => answer.toString('latin1').startsWith('HTTP/1.1 408');

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

describe('a process with few file descriptors', () => {
  let deployment: Deployment;
  let address: string;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const others: Socket[] = [];
  beforeAll(async () => {
    deployment = await Deployment.create();
    const limited = ['sh', '-c', `ulimit -n ${MANY} && exec "$0" "$@"`, ...SERVER];
    address = (await deployment.start({ PORT: '0' }, limited).ready()).replace('localhost', '127.0.0.1');
  });
  afterEach(() => {
    for (const socket of others.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    agent.destroy();
    await deployment.remove();
  });

  /** Connects to the server, and returns the connection, which is open until either side closes it. */
  const line = (): Socket => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    others.push(socket);
    return socket.on('error', () => undefined);
  };
  /** Returns the path and the search of the upload of a new file of a new tenant, and its path for downloads. */
  const create = async (tenant: string): Promise<{ upload: string; download: string }> => {
    const key = await deployment.keys('create', '--tenant', tenant, '--scope', ALL_SCOPES);
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const query = JSON.stringify({ query: 'mutation{createFile(input:{name:"a.txt",public:true}){id uploadUrl}}' });
    const created = await send(agent, `${address}/file-management/graphql`, { method: 'POST', headers }, query);
    const { id, uploadUrl } = JSON.parse(created.body).data.createFile;
    const { pathname, search } = new URL(uploadUrl);
    return { upload: pathname + search, download: `/file-management/files/${id}` };
  };
  const put = (path: string) => send(agent, address + path, { method: 'PUT' }, Buffer.alloc(100_000, 'content'));

  it('reserves some for files: accepted requests store their content', async () => {
    const { upload } = await create('files');
    let closed = 0;
    for (let count = 0; count < MANY; count++) line().once('close', () => closed++);
    await until(async () => closed > 100);
    expect((await put(upload)).status).toBe(200);
    expect(closed).toBeLessThan(MANY); // others stayed
  });

  it('serves other tenants while one uploads slowly on more connections than it may open', async () => {
    const [{ upload: slow }, own] = [await create('slow'), await create('other')];
    let open = MANY;
    let refused = 0;
    const head = `PUT ${slow} HTTP/1.1\r\nHost: x\r\nContent-Length: ${MEGABYTE}\r\n\r\nx`;
    for (let count = 0; count < MANY; count++) {
      const socket = line();
      socket.once('data', (answer) => (refused += isTimeout(answer) ? 0 : 1)); // a slow machine has the first stall before the last is refused
      socket.once('close', () => open--);
      socket.write(head);
    }
    const serve = async () => {
      const downloaded = async () => send(agent, address + own.download, {});
      const answers = [await put(own.upload), await downloaded(), await send(agent, `${address}/health/ready`, {})];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers[2]!.body).toContain('"transfers":"ok"');
    };
    await until(async () => {
      await serve();
      return open <= SHARE;
    });
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(MANY - SHARE);
    await serve();
  });
});
