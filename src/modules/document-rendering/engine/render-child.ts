import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Answer, RenderJob } from '../rendering/render-job.js';
import { type Refusal, RenderingRefused } from '../template-language/result/refusal.js';
import { forgetTemplates, runJob } from '../rendering/render-job-runner.js';

const TOO_LARGE = 'rendering exceeded its memory limit; make the template or its params smaller';

// Entry point of a render process, which runs one job at once. Exits when its parent exits, even during a job.

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
  if (/call stack/.test(error.message)) return refused('the content is nested too deeply to render; flatten it');
  return /^Invalid (?:string|array) length|allocation failed/.test(error.message) ? refused(TOO_LARGE) : undefined;
}

/** Frees memory used by a job, so that the next one has enough. */
function keepMemoryFree(): void {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  if (used_heap_size > heap_size_limit / 2) forgetTemplates();
}

// Watches the parent in a separate thread, which works even while a job blocks this one.
new Worker(new URL('./parent-watch.js', import.meta.url), { workerData: process.ppid }).unref();

process.on('disconnect', () => process.exit());
process.on('message', (job: RenderJob) => {
  process.send!(answer(job));
  keepMemoryFree();
});
process.send!('ready');
