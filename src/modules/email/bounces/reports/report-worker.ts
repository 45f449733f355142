import { parentPort } from 'node:worker_threads';
import { readReport } from './read-report.js';

// Entry point of the thread of ReportReader, which sends one mail at a time.
parentPort!.on('message', (mail: Uint8Array) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void readReport(mail).then((report) => parentPort!.postMessage(report));
});
