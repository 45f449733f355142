import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { CLOSE } from '../../src/modules/websockets-manager/sockets/closing.js';
import { Connection, type Receipt } from '../../src/modules/websockets-manager/sockets/connection.js';

const MOST = 16_384;
const presence = { connectionId: 'c', nodeId: 'n', tenantId: 't', recipient: 'r', topic: null, sourceIp: '', connectedAt: 0 };
const receipt = (id: number): Receipt => ({ id: `m${id}`, tenantId: 't', global: false, topic: null, expiresAt: null, bytes: 1 });

it('an unacknowledged connection stores 16,384 receipts, and is closed with 4413 at the next message', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(server, 'connection')) as [Socket];
  const connection = new Connection(
    presence,
    socket,
    () => undefined,
    () => undefined,
  );
  connection.acknowledges = true;
  connection.release(() => undefined);
  const frame = Buffer.from('x');
  for (let id = 0; id < MOST; id++) connection.send(frame, receipt(id));
  expect(connection.isOpen).toBe(true);
  expect(connection.acknowledge('m9').map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, id) => `m${id}`));
  expect(connection.acknowledge('m9')).toEqual([]);
  for (let id = 0; id < 10; id++) connection.send(frame, receipt(MOST + id));
  expect(connection.isOpen).toBe(true);
  connection.send(frame, receipt(MOST + 10));
  expect(connection.closed).toBe(CLOSE.tooSlow);
  expect(connection.takeUnconfirmed()).toHaveLength(MOST + 1);
  client.destroy();
  socket.destroy();
  server.close();
});
