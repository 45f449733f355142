// Limits of processor time by control groups of the kernel, version 1 (cpu.cfs_quota_us). A group of this bench competes with the rest of
// the machine; the nodes have groups within it. Needs Linux and root.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendants } from './process-usage.mjs';

const ROOT = '/sys/fs/cgroup/cpu';
/** Weight of the bench beside one ordinary process, so that others do not take what a limited node may use. */
const SHARES = 65_536;
const folder = join(ROOT, `bench-${process.pid}`);
const groups = [];

export const canLimit = existsSync(join(ROOT, 'cpu.cfs_quota_us')) && process.getuid?.() === 0;

/** Gives this process, and those that it starts from now on, precedence over other work of the machine. */
export function precede() {
  process.on('exit', removeAll);
  create(folder);
  writeFileSync(join(folder, 'cpu.shares'), String(SHARES));
  writeFileSync(join(folder, 'cgroup.procs'), String(process.pid));
}

/** Limits a process and its descendants together to a share of a core, in each period. */
export function limit(name, pid, { cores, periodMs }) {
  const group = join(folder, name);
  create(group);
  writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodMs * 1_000));
  writeFileSync(join(group, 'cpu.cfs_quota_us'), String(Math.round(cores * periodMs * 1_000)));
  for (const each of [pid, ...descendants(pid)]) writeFileSync(join(group, 'cgroup.procs'), String(each));
}

function create(group) {
  mkdirSync(group);
  groups.push(group);
}

/** Leaves a group whose processes have not stopped yet, which does no harm. */
function removeAll() {
  writeFileSync(join(ROOT, 'cgroup.procs'), String(process.pid));
  for (const group of groups.reverse()) {
    try {
      rmdirSync(group);
    } catch {
      // in use
    }
  }
}
