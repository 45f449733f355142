import { totalmem } from 'node:os';

/** Returns the memory available to this process and its children: the limit of its cgroup, or that of the machine. */
export function machineMemoryBytes(): number {
  // Without a limit, a cgroup reports 0 or a number beyond any memory.
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}

/** Remedy for a Node line without security fixes. */
export const NODE_ADVICE = 'install Node 24, or 22.14 and newer: 0.3 is the last release line that starts on Node 20';

/** Returns why a version of Node should be replaced, or undefined. Versions that cannot start are refused by bin/platform-services.mjs. */
export function faultOfNode(version: string): string | undefined {
  return version.startsWith('20.') ? `Node ${version} has had no security fixes since 30 April 2026` : undefined;
}
