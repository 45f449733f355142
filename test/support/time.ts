/** When a condition held in the last poll. A busy machine that polls late, or waits long for the answer, does not count. */
export async function lastTimeOf(isStill: () => Promise<boolean>): Promise<number> {
  for (let lastAt = Date.now(); ;) {
    const askedAt = Date.now();
    if (!(await isStill())) return lastAt;
    lastAt = askedAt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The processor time that something takes, which does not depend on what else the machine does. */
export function workedMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Holds the event loop. */
export function hold(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}
