// @nightly postgresql: no SQL of its own
import { fileURLToPath } from 'node:url';
import { ALL_SCOPES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { SEND } from './support/email.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { Push, until } from './support/websockets.js';

const CLOCK = fileURLToPath(new URL('./support/step-clock.mjs', import.meta.url));

describe('a clock set back by an hour', () => {
  let deployment: Deployment;
  let server: ServerProcess;
  let email: Api;
  let push: Push;
  beforeAll(async () => {
    deployment = await Deployment.create({ WEBSOCKET_HEARTBEAT_SECONDS: '1', NODE_OPTIONS: `--import ${CLOCK}` });
    const key = await deployment.keys('create', '--tenant', 'acme', '--scope', ALL_SCOPES);
    server = deployment.start({ PORT: '0' });
    const address = await server.ready();
    email = new Api(address, 'email', key);
    push = new Push(new Api(address, 'websockets-manager', key));
  });
  afterAll(() => deployment.remove());

  const send = async (subject: string) => {
    const { sendMessage } = await email.ask(SEND, { input: { to: { address: 'a@example.com' }, subject, textBody: 't' } });
    await server.until(new RegExp(`"emailId":"${sendMessage.id}".*stored as a file`));
  };

  it('delays no mail, and hides no dead connection', async () => {
    const [alive, dead] = [await push.connect('ann'), await push.connect('ann', {}, { autoPong: false })];
    let pongs = 0;
    dead.socket.on('ping', (data) => pongs++ === 0 && dead.socket.pong(data));
    await until(() => pongs > 0);
    await send('before');
    server.child.kill('SIGUSR2');
    await server.until(/the clock was set back/);
    expect((await dead.closed).code).toBe(4408);
    await send('after');
    await push.push('ann', 'still connected');
    await until(() => alive.texts.includes('still connected'));
    alive.socket.terminate();
  });
});
