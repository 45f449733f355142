// Socket.IO over WebSocket alone: GET /burst?count=N emits a message of 200 bytes N times to all.
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const message = 'x'.repeat(200);
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/burst') for (let count = Number(searchParams.get('count')); count > 0; count--) io.emit('m', message);
  if (pathname === '/burst' || pathname === '/health/ready') response.end('ok');
});
const io = new Server(server, { transports: ['websocket'], perMessageDeflate: false });
server.listen(Number(process.env.PORT), process.env.HOST);
