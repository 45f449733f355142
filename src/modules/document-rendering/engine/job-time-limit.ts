import { readFileSync } from 'node:fs';
import { afterSilence } from '../../../common/base/in-time.js';
import { CLOCK_LIMIT_MS, WORK_LIMIT_MS } from '../models/limits.js';

const CHECK_EVERY_MS = 250;
/** Resolution of processor time on Linux: 10 ms on every architecture. */
const TICK_MS = 10;

/** Exceeded limit: processor time, or total time on a machine too busy to run the job. */
export type Exceeded = 'timeout' | 'starved';

/** Calls `onExceeded` once a process has used 2 s of processor time for its job, or after 10 s. */
export class JobTimeLimit {
  private readonly begun = performance.now();
  private clearCheck: () => void;
  private workedBefore: number | undefined;

  constructor(
    private readonly pid: number,
    private readonly onExceeded: (exceeded: Exceeded) => void,
  ) {
    this.clearCheck = this.checkLater();
  }

  clear(): void {
    this.clearCheck();
  }

  private checkLater(): () => void {
    return afterSilence(CHECK_EVERY_MS, () => this.check());
  }

  /** Compares the elapsed times with the limits. Counts the time before the first check as processor time; most jobs end before it. */
  private check(): void {
    const passed = performance.now() - this.begun;
    const worked = processorTimeOf(this.pid) ?? passed;
    this.workedBefore ??= worked - Math.min(passed, CHECK_EVERY_MS);
    if (Math.min(passed, worked - this.workedBefore) >= WORK_LIMIT_MS) this.onExceeded('timeout');
    else if (passed >= CLOCK_LIMIT_MS) this.onExceeded('starved');
    else this.clearCheck = this.checkLater();
  }
}

/** Returns the processor time of all threads of a process, in ms; undefined if the system does not report it. */
export function processorTimeOf(pid: number): number | undefined {
  const [user, system] = statOf(pid).slice(11, 13);
  return user === undefined ? undefined : (Number(user) + Number(system)) * TICK_MS;
}

/** Returns the fields of /proc/PID/stat after the process name (proc_pid_stat(5)). Empty for an exited process and on other systems. */
export function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
