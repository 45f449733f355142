// The bare library: GET /burst?count=N sends a message of 200 bytes N times to every connection, one send(Buffer) each.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const message = Buffer.from('x'.repeat(200));
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/burst') {
    for (let count = Number(searchParams.get('count')); count > 0; count--) {
      for (const client of sockets.clients) client.send(message, { binary: false });
    }
  }
  response.end('ok');
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
server.listen(Number(process.env.PORT), process.env.HOST);
