import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { eventLoop } from '../../src/common/scheduling/event-loop.js';
import { hold } from '../support/time.js';

const CONNECTIONS = 60;
const SLICES = 10;
/** After so many, a server accepts as fast as one that has served for a while. */
const WARM_CONNECTIONS = 3_000;
const CONNECT = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  let left = count;
  for (let i = 0; i < count; i++) connect(port, '127.0.0.1', () => --left || process.exit());
`;

describe('the event loop', () => {
  it('accepts waiting connections between a few slices of work, although it accepts one per turn', async () => {
    let accepted = 0;
    const server = createServer((socket) => {
      accepted++;
      socket.on('error', () => undefined).destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (let i = 0; i < WARM_CONNECTIONS; i++) await once(connect(port, '127.0.0.1').resume(), 'close');
    accepted = 0;
    const { status } = spawnSync(process.execPath, ['-e', CONNECT, String(port), String(CONNECTIONS)]); // nothing is accepted meanwhile
    expect(status).toBe(0);
    const work = async () => {
      await eventLoop.yield('a');
      hold(200); // long enough for turns that a busy machine draws out
    };
    await Promise.all(Array.from({ length: SLICES }, work));
    expect(accepted).toBe(CONNECTIONS);
    server.close();
  });

  it('gives each tenant a slice before another has its next', async () => {
    const order: string[] = [];
    const work = async (tenant: string) => {
      await eventLoop.yield(tenant);
      order.push(tenant);
    };
    await Promise.all([...Array.from({ length: 5 }, () => 'a'), 'b', 'c'].map(work));
    expect(order.slice(0, 4).filter((tenant) => tenant !== 'a')).toEqual(['b', 'c']);
  });
});
