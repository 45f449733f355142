// Ports for servers that must know theirs before they listen.
import { createServer } from 'node:net';

/**
 * Below the ports that a system gives to connections, and to servers that name none: those could take a port between its choice and
 * its use. Each process has a block of its own.
 */
const FIRST = 20_000;
const BLOCKS = 240;
const BLOCK_SIZE = 50;
const first = FIRST + (process.pid % BLOCKS) * BLOCK_SIZE;
let given = 0;

/** @returns {Promise<number>} a port at which nothing listens */
export async function freePort() {
  for (let tries = 0; tries < BLOCK_SIZE; tries++) {
    const port = first + (given++ % BLOCK_SIZE);
    if (await isFree(port)) return port;
  }
  throw new Error(`all ports from ${first} to ${first + BLOCK_SIZE - 1} are in use`);
}

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
