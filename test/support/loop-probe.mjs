// Loaded into a server before its program. At SIGUSR2 it prints for how long the event loop was held at most since the last report: in
// processor time of the main thread between two of its timers, so that other programs of the machine do not count.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 2;

/** The main thread is the first of the process; the kernel counts its time in nanoseconds. */
const processorMs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;

if (isMainThread) {
  let before = processorMs();
  let longest = 0;
  let reports = 0;
  const look = () => {
    const now = processorMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, LOOK_MS).unref();
  process.on('SIGUSR2', () => {
    look();
    process.stderr.write(`held ${reports++} ${longest.toFixed(1)} ms\n`);
    longest = 0;
  });
}
