import { totalmem } from 'node:os';

/** Returns the memory available to this process and its children: the limit of its cgroup, or that of the machine. */
export function machineMemoryBytes(): number {
  // Without a limit, a cgroup reports 0 or a number beyond any memory.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
