/** Returns when a condition held in the last poll. Late polls and slow responses on a busy machine do not count. */
export async function lastTimeOf(isStill: () => Promise<boolean>): Promise<number> {
  for (let lastAt = Date.now(); ;) {
    const askedAt = Date.now();
    if (!(await isStill())) return lastAt;
    lastAt = askedAt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the processor time of a function, which does not depend on other load. */
export function workedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Blocks the event loop. */
export function hold(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}
