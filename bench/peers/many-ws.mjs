// Bare ws with the heartbeat from its manual, in WORKERS processes on one port: POST /push sends its body to every connection, with one
// send(Buffer) each.
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const HEARTBEAT_MS = 25_000;
const workers = Number(process.env.WORKERS);

if (cluster.isPrimary && workers > 1) {
  for (let count = 0; count < workers; count++) cluster.fork();
  cluster.on('message', (_, message) => {
    for (const worker of Object.values(cluster.workers)) worker.send(message);
  });
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM');
    cluster.disconnect(() => process.exit());
  });
} else {
  serve();
}

function serve() {
  const server = createServer(async (request, response) => {
    if (request.url === '/push') {
      const parts = await request.toArray();
      const message = Buffer.concat(parts).toString();
      if (cluster.isWorker) process.send(message);
      else push(message);
    }
    response.end('ok');
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket) => {
    socket.isAlive = true;
    socket.on('error', console.error);
    socket.on('pong', heard);
  });
  setInterval(() => {
    for (const socket of sockets.clients) {
      if (!socket.isAlive) socket.terminate();
      socket.isAlive = false;
      socket.ping();
    }
  }, HEARTBEAT_MS);
  const push = (text) => {
    const message = Buffer.from(text);
    for (const client of sockets.clients) client.send(message, { binary: false });
  };
  process.on('message', push);
  server.listen({ port: Number(process.env.PORT), host: process.env.HOST, backlog: 4_096 });
}

function heard() {
  this.isAlive = true;
}
