import { readFileSync } from 'node:fs';
import { processorTimeOf, statOf } from '../engine/job-time-limit.js';

/** Memory page size on the processors that Chromium supports. */
const PAGE_BYTES = 4_096;

/** Returns processor time and memory of a process and its descendants, as far as the system reports them. Excludes shared memory. */
export function usageOfTree(pid: number): { workedMs: number; memoryBytes: number } {
  const all = [pid];
  for (const one of all) all.push(...childrenOf(one));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return { workedMs: sum(all.map((one) => processorTimeOf(one) ?? 0)), memoryBytes: sum(all.map(memoryOf)) };
}

/** Returns the start time of a process, in ticks since boot. Distinguishes processes that reuse an id. */
export function startOfProcess(pid: number): number | undefined {
  const start = statOf(pid)[19];
  return start === undefined ? undefined : Number(start);
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function memoryOf(pid: number): number {
  const [, resident = '0', shared = '0'] = read(`/proc/${pid}/statm`).split(' ');
  return (Number(resident) - Number(shared)) * PAGE_BYTES;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
