import { readFileSync } from 'node:fs';
import { processorTimeOf, statOf } from '../engine/job-time-limit.js';

/** Pages of memory are 4 KiB on the processors that Chromium is built for. */
const PAGE_BYTES = 4_096;

/** Returns the processor time and the memory of a process and all below it, as far as the system reports them. Shared memory is not counted. */
export function usageOfTree(pid: number): { workedMs: number; memoryBytes: number } {
  const all = [pid];
  for (const one of all) all.push(...childrenOf(one));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return { workedMs: sum(all.map((one) => processorTimeOf(one) ?? 0)), memoryBytes: sum(all.map(memoryOf)) };
}

/** Returns when a process started, in ticks since the machine did: two processes of the same id differ in it. */
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
