import { workerData } from 'node:worker_threads';

const CHECK_EVERY_MS = 500;

// A thread of a child process. When the parent is gone, another process adopts the child, and its parent id changes.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, CHECK_EVERY_MS);
