// Processor time and memory of another process, from the kernel. Linux only.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

export const canMeasure = existsSync('/proc/self/clear_refs');

/** Returns the resident memory, or with `VmHWM` its maximum since `resetPeak`; in MiB. */
export function residentMib(pid, field = 'VmRSS') {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
}

/** Resets the peak, which is exact where sampling could miss it. */
export function resetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export function cpuSeconds(pid) {
  return secondsOf(`/proc/${pid}/stat`);
}

/** Returns the processor time of the main thread alone. */
export function mainThreadSeconds(pid) {
  return secondsOf(`/proc/${pid}/task/${pid}/stat`);
}

/** Returns the processor time of a process and its descendants. */
export function cpuSecondsOfAll(pid) {
  return [pid, ...descendants(pid)].reduce((sum, each) => sum + cpuSeconds(each), 0);
}

/** Returns the descendants of a process. */
export function descendants(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(descendants)];
}

function secondsOf(path) {
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
