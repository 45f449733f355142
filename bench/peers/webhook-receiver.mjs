// Accepts every POST. GET returns their number and the times of the first and the last; DELETE resets both.
import { createServer } from 'node:http';

let [count, firstAt, lastAt] = [0, 0, 0];

createServer((request, response) => {
  if (request.method === 'DELETE') [count, firstAt, lastAt] = [0, 0, 0];
  if (request.method !== 'POST') return response.end(JSON.stringify({ count, firstAt, lastAt }));
  request.resume().on('end', () => {
    lastAt = performance.now();
    if (count++ === 0) firstAt = lastAt;
    response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
