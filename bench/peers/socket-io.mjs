// Socket.IO over WebSocket alone: GET /burst?count=N emits a message of 200 bytes N times to all; GET /confirmed?count=N does so with
// acknowledgements, and answers once all have arrived.
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const message = 'x'.repeat(200);
const ACKNOWLEDGED_MS = 30_000;
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/burst') for (let count = Number(searchParams.get('count')); count > 0; count--) io.emit('m', message);
  if (pathname === '/confirmed')
    for (let count = Number(searchParams.get('count')); count > 0; count--)
      await io.timeout(ACKNOWLEDGED_MS).emitWithAck('m', message);
  if (['/burst', '/confirmed', '/health/ready'].includes(pathname)) response.end('ok');
});
const io = new Server(server, { transports: ['websocket'], perMessageDeflate: false });
server.listen(Number(process.env.PORT), process.env.HOST);
