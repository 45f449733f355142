// Processor time and memory of another process, from the kernel. Linux only.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
/** Positions of user and system time after the name of a process, and of the same of its children that have exited. */
const OWN = [11, 12];
const OWN_AND_EXITED = [11, 12, 13, 14];

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

/** Returns the processor time of a process, its descendants, and those of them that have exited: a parent has the time of these. */
export function cpuSecondsOfAllEver(pid) {
  const own = unlessExited(() => secondsOf(`/proc/${pid}/stat`, OWN_AND_EXITED), 0);
  return childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOfAllEver(child), own);
}

/** Returns the descendants of a process. */
export function descendants(pid) {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

function childrenOf(pid) {
  const threads = unlessExited(() => readdirSync(`/proc/${pid}/task`), []);
  const read = (thread) => unlessExited(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '');
  return threads.flatMap((thread) => read(thread).split(' ').filter(Boolean).map(Number));
}

/** Reads of a process or thread, which may exit after it was listed. */
function unlessExited(read, otherwise) {
  try {
    return read();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return otherwise;
    throw error;
  }
}

function secondsOf(path, fieldsOfTime = OWN) {
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fieldsOfTime.reduce((sum, field) => sum + Number(fields[field]), 0) / TICKS_PER_SECOND;
}
