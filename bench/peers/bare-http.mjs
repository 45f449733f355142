// Peer of files-stream: a bare Node HTTP server that only pipes to and from files. Like ours, it answers a PUT once the content is on
// disk. With ?unsynced it leaves the content in the page cache; with ?hashed it also computes the SHA-256, as ours does.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const { PORT, DATA_DIR } = process.env;

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/health/ready') return response.end();
  const file = join(DATA_DIR, basename(url.pathname));
  if (request.method === 'PUT') {
    const hash = url.searchParams.has('hashed') ? createHash('sha256') : undefined;
    if (hash) request.on('data', (chunk) => hash.update(chunk));
    await pipeline(request, createWriteStream(file, { flush: !url.searchParams.has('unsynced') }));
    return response.end(hash?.digest('hex'));
  }
  response.setHeader('content-length', statSync(file).size);
  createReadStream(file).pipe(response);
}

createServer((request, response) => {
  answer(request, response).catch((error) => response.destroy(error));
}).listen(Number(PORT), '127.0.0.1');
