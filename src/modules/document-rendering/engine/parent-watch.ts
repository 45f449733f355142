import { workerData } from 'node:worker_threads';

const CHECK_EVERY_MS = 500;

// Runs in a thread of a child process. When the parent dies, the system assigns another parent, so the parent id changes.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, CHECK_EVERY_MS);
