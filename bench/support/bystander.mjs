// Ordinary caller beside a crowd: sends requests every 50 ms, each on a new connection, regardless of pending ones.
import { request } from 'node:http';

const EVERY_MS = 50;
const PATIENCE_MS = 30_000;

/** Starts sending each of `requests`. `stop` returns the longest wait and the 99th percentile in ms, and the failures. */
export function watch(address, requests) {
  const waits = [];
  const failures = {};
  const running = new Set();
  const timer = setInterval(() => {
    for (const one of requests) {
      const start = performance.now();
      const sent = send(address, one)
        .then(
          () => waits.push(performance.now() - start),
          (error) => (failures[error.message] = (failures[error.message] ?? 0) + 1),
        )
        .finally(() => running.delete(sent));
      running.add(sent);
    }
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      waits.sort((a, b) => a - b);
      return { longest: waits.at(-1) ?? NaN, p99: waits[Math.floor(waits.length * 0.99)] ?? NaN, failures };
    },
  };
}

function send(address, { path, method = 'GET', headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const options = { agent: false, method, headers: { ...headers, connection: 'close' }, timeout: PATIENCE_MS };
    const sent = request(address + path, options, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`))));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', (error) => reject(new Error(error.code ?? error.message)));
    sent.end(body);
  });
}
