import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Answer, RenderJob } from '../rendering/render-job.js';
import { type Refusal, RenderingRefused } from '../template-language/result/refusal.js';
import { forgetTemplates, runJob } from '../rendering/render-job-runner.js';

const TOO_LARGE = 'rendering takes more memory than it may; make it smaller or simpler';

// The entry point of a child process, which does one job at a time. It ends when its parent ends, even during a job.

function answer(job: RenderJob): Answer {
  try {
    return { result: runJob(job) };
  } catch (error) {
    const refusal = refusalIn(error);
    return refusal ? { refusal } : { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof RenderingRefused) return error.refusal;
  if (!(error instanceof RangeError)) return undefined;
  const refused = (message: string): Refusal => ({ code: 'BAD_USER_INPUT', field: null, message });
  if (/call stack/.test(error.message)) return refused('it is nested too deeply to be rendered');
  return /^Invalid (?:string|array) length|allocation failed/.test(error.message) ? refused(TOO_LARGE) : undefined;
}

/** Frees the memory that a job used, so that the next job has enough. */
function keepMemoryFree(): void {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  if (used_heap_size > heap_size_limit / 2) forgetTemplates();
}

// A separate thread detects the end of the parent even while a job blocks this thread.
new Worker(new URL('./parent-watch.js', import.meta.url), { workerData: process.ppid }).unref();

process.on('disconnect', () => process.exit());
process.on('message', (job: RenderJob) => {
  process.send!(answer(job));
  keepMemoryFree();
});
process.send!('ready');
