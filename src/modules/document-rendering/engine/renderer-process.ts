import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterSilence } from '../../../common/base/in-time.js';
import type { Logger } from '../../../common/logging/logger.js';
import type { Answer, RenderJob } from '../rendering/render-job.js';
import { type Exceeded, JobTimeLimit } from './job-time-limit.js';

const START_LIMIT_MS = 10_000;
const LOGGED_CHARACTERS = 4_096;
/**
 * A lower priority than that of the server, which must respond while all renderers are busy, but high enough for small jobs on a
 * busy machine.
 */
const NICENESS = 1;
const OPTIONS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=throw',
  '--no-addons',
  '--no-warnings',
];
/** The signals with which V8 ends a process that is out of memory. */
const MEMORY_SIGNALS = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGTRAP', 'SIGILL']);

/** Why a job has no answer: it took too much time or memory, or the process ended for another reason. */
export type Ending = { ended: Exceeded | 'memory' | 'died' };

export interface RendererListener {
  ready(renderer: RendererProcess): void;
  /** Called once, after the last job was settled. `started` is false if the renderer never became ready. */
  ended(renderer: RendererProcess, started: boolean): void;
}

/** The parent's side of a child process that renders. The child gets none of the server's settings and secrets. */
export class RendererProcess {
  private readonly child: ChildProcess;
  private started = false;
  private exceeded: Exceeded | undefined;
  private hasEnded = false;
  private errors = '';
  private readonly clearStartLimit: () => void;
  private timeLimit: JobTimeLimit | undefined;
  private settle: ((answer: Answer | Ending) => void) | undefined;

  /** @throws if the system cannot start a process; a later failure is reported as the end of the process */
  constructor(
    entry: URL,
    private readonly logger: Logger,
    private readonly listener: RendererListener,
  ) {
    this.child = fork(fileURLToPath(entry), [], {
      serialization: 'advanced',
      env: {},
      execArgv: OPTIONS,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.clearStartLimit = afterSilence(START_LIMIT_MS, () => this.kill());
    this.child.on('message', (message) => this.receive(message as 'ready' | Answer));
    this.child.stderr?.on('data', (chunk) => (this.errors = (this.errors + String(chunk)).slice(-LOGGED_CHARACTERS)));
    this.child.on('error', (error) => this.end(null, error));
    this.child.on('close', (_code, signal) => this.end(signal));
    this.lowerPriority();
    this.keepParentAlive(false);
  }

  /** Runs one job at a time, after the renderer is ready. The promise always settles. */
  run(job: RenderJob): Promise<Answer | Ending> {
    this.keepParentAlive(true);
    return new Promise((resolve) => {
      this.settle = resolve;
      this.timeLimit = new JobTimeLimit(this.child.pid!, (exceeded) => {
        this.exceeded = exceeded;
        this.kill();
      });
      this.child.send(job, () => undefined); // after a failure to send, the process ends
    });
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private receive(message: 'ready' | Answer): void {
    if (this.child.killed) return;
    this.clearLimits();
    if (message !== 'ready') {
      this.answer(message);
    } else {
      this.started = true;
      this.listener.ready(this);
    }
  }

  private answer(answer: Answer | Ending): void {
    const { settle } = this;
    this.settle = undefined;
    this.keepParentAlive(false);
    settle?.(answer);
  }

  private end(signal: NodeJS.Signals | null, error?: Error): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.clearLimits();
    const details = { err: error, stderr: this.errors, signal };
    if (!this.started && !this.child.killed) this.logger.warn(details, 'a render process did not start');
    else if (this.errors) this.logger.debug(details, 'a render process ended');
    const reason = MEMORY_SIGNALS.has(signal) ? 'memory' : 'died';
    this.answer({ ended: this.exceeded ?? reason });
    this.listener.ended(this, this.started);
  }

  private clearLimits(): void {
    this.clearStartLimit();
    this.timeLimit?.clear();
  }

  /** An idle child must not keep the parent alive. A working child must, so that its end is handled. */
  private keepParentAlive(keep: boolean): void {
    const method = keep ? 'ref' : 'unref';
    this.child[method]();
    this.child.channel?.[method]();
    (this.child.stderr as Socket | null)?.[method]();
  }

  private lowerPriority(): void {
    try {
      if (this.child.pid) setPriority(this.child.pid, NICENESS);
    } catch (error) {
      this.logger.debug({ err: error }, 'a render process keeps its priority');
    }
  }
}
