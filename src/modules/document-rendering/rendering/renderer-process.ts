import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../common/logging/log.js';
import type { Answer, RenderJob } from './render-job.js';
import { type Exceeded, WorkLimit } from './work-limit.js';

const START_LIMIT_MS = 10_000;
const LOGGED_CHARACTERS = 4_096;
/** Below the server itself, which must answer while all are busy; not so low that a busy machine starves a small job. */
const NICENESS = 1;
const OPTIONS = [
  '--max-old-space-size=256',
  '--disallow-code-generation-from-strings',
  '--disable-proto=throw',
  '--no-addons',
  '--no-warnings',
];
/** How the engine ends a process that has no memory left. */
const MEMORY_SIGNALS = new Set<NodeJS.Signals | null>(['SIGABRT', 'SIGTRAP', 'SIGILL']);

/** Why there was no answer: the job took too long, or too much memory, or the process ended for another reason. */
export type Ending = { ended: Exceeded | 'memory' | 'died' };

export interface RendererListener {
  ready(renderer: RendererProcess): void;
  /** Once, after the last job was settled; `started` tells whether it ever was ready. */
  ended(renderer: RendererProcess, started: boolean): void;
}

/** One child process that renders, as its parent sees it. It sees no setting and no secret of the server. */
export class RendererProcess {
  private readonly child: ChildProcess;
  private started = false;
  private exceeded: Exceeded | undefined;
  private hasEnded = false;
  private errors = '';
  private readonly startLimit: NodeJS.Timeout;
  private workLimit: WorkLimit | undefined;
  private settle: ((answer: Answer | Ending) => void) | undefined;

  /** @throws when the system starts no process; a failure that shows later is an end */
  constructor(
    entry: URL,
    private readonly log: Log,
    private readonly listener: RendererListener,
  ) {
    this.child = fork(fileURLToPath(entry), [], {
      serialization: 'advanced',
      env: {},
      execArgv: OPTIONS,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.startLimit = setTimeout(() => this.kill(), START_LIMIT_MS);
    this.child.on('message', (message) => this.receive(message as 'ready' | Answer));
    this.child.stderr?.on('data', (chunk) => (this.errors = (this.errors + String(chunk)).slice(-LOGGED_CHARACTERS)));
    this.child.on('error', (error) => this.end(null, error));
    this.child.on('close', (_code, signal) => this.end(signal));
    this.lowerPriority();
    this.keepParentAlive(false);
  }

  /** One job at a time, of a renderer that is ready. Always settles. */
  run(job: RenderJob): Promise<Answer | Ending> {
    this.keepParentAlive(true);
    return new Promise((resolve) => {
      this.settle = resolve;
      this.workLimit = new WorkLimit(this.child.pid!, (how) => {
        this.exceeded = how;
        this.kill();
      });
      this.child.send(job, () => undefined); // a failure to send is followed by the end
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
    if (!this.started && !this.child.killed) this.log.warn(details, 'a render process did not start');
    else if (this.errors) this.log.debug(details, 'a render process ended');
    const reason = MEMORY_SIGNALS.has(signal) ? 'memory' : 'died';
    this.answer({ ended: this.exceeded ?? reason });
    this.listener.ended(this, this.started);
  }

  private clearLimits(): void {
    clearTimeout(this.startLimit);
    this.workLimit?.clear();
  }

  /** A child that only waits keeps nothing alive; the end of one that works must not be missed. */
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
      this.log.debug({ err: error }, 'a render process keeps its priority');
    }
  }
}
