import { totalmem } from 'node:os';

/** Returns the memory that this process may use with all that it starts: the limit of its cgroup, or else that of the machine. */
export function machineMemoryBytes(): number {
  // Without a limit, a cgroup reports 0 or a number beyond any memory.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
