// Client side of a transfer: bytes are generated while sent and dropped on arrival.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const BLOCK = randomBytes(256 * 1024);

export async function upload(url, sizeBytes) {
  const sending = request(url, { method: 'PUT', headers: { 'content-length': sizeBytes }, agent: false });
  const answered = once(sending, 'response');
  await pipeline(Readable.from(blocks(sizeBytes), { objectMode: false, highWaterMark: BLOCK.length }), sending);
  const [response] = await answered;
  response.resume();
  assert.equal(response.statusCode, 200);
}

export async function download(url, sizeBytes) {
  const [response] = await once(get(url, { agent: false }), 'response');
  assert.equal(response.statusCode, 200);
  let received = 0;
  response.on('data', (chunk) => (received += chunk.length));
  await once(response, 'end');
  assert.equal(received, sizeBytes);
}

function* blocks(sizeBytes) {
  for (let left = sizeBytes; left > 0; left -= BLOCK.length) yield left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
}
