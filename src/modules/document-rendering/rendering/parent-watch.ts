import { workerData } from 'node:worker_threads';

const CHECK_EVERY_MS = 500;

// Runs beside a child process. Whoever adopts the child when its parent is gone has another process id.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, CHECK_EVERY_MS);
