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
 * Nice value. Lower priority than the server, which must respond while all renderers are busy, but enough for small jobs on a busy
 * machine.
 */
const NICENESS = 1;
const OPTIONS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=throw',
  '--no-addons',
  '--no-warnings',
];
/** Signals with which V8 terminates a process that is out of memory. */
const MEMORY_SIGNALS = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGTRAP', 'SIGILL']);

/** Reason for a job without an answer: exceeded time or memory, or another exit of the process. */
export type Ending = { ended: Exceeded | 'memory' | 'died' };

export interface RendererListener {
  ready(renderer: RendererProcess): void;
  /** Callback on exit, called once after the last job was answered. `started` is false if the renderer never became ready. */
  ended(renderer: RendererProcess, started: boolean): void;
}

/** Controls a render process. The process receives none of the server's settings and secrets. */
export class RendererProcess {
  private readonly child: ChildProcess;
  private started = false;
  private exceeded: Exceeded | undefined;
  private hasEnded = false;
  private errors = '';
  private readonly clearStartLimit: () => void;
  private timeLimit: JobTimeLimit | undefined;
  private settle: ((answer: Answer | Ending) => void) | undefined;

  /** Starts the process. A later failure is reported as its exit. @throws if the system cannot start a process */
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

  /** Runs one job; the previous one must be finished. The promise always settles. */
  run(job: RenderJob): Promise<Answer | Ending> {
    this.keepParentAlive(true);
    return new Promise((resolve) => {
      this.settle = resolve;
      this.timeLimit = new JobTimeLimit(this.child.pid!, (exceeded) => {
        this.exceeded = exceeded;
        this.kill();
      });
      this.child.send(job, () => undefined); // a process that cannot receive exits
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
    if (!this.started && !this.child.killed) this.logger.warn(details, 'a render process failed to start');
    else if (this.errors) this.logger.debug(details, 'a render process has exited');
    const reason = MEMORY_SIGNALS.has(signal) ? 'memory' : 'died';
    this.answer({ ended: this.exceeded ?? reason });
    this.listener.ended(this, this.started);
  }

  private clearLimits(): void {
    this.clearStartLimit();
    this.timeLimit?.clear();
  }

  /** Lets the server exit while the child is idle. A working child keeps it alive, so that its exit is handled. */
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
      this.logger.debug({ err: error }, 'the priority of a render process could not be lowered');
    }
  }
}
