import { setInterval } from 'node:timers';

/** Starts `request` at a fixed rate, whether or not earlier ones have ended, until it is stopped; stores why any failed. */
export function steadyRequests(perSecond, request) {
  const begunMs = performance.now();
  const failures = [];
  const running = new Set();
  let count = 0;
  const begin = () => {
    count += 1;
    const one = request()
      .catch((error) => failures.push(`request ${count}: ${error.cause?.message ?? error.message}`))
      .finally(() => running.delete(one));
    running.add(one);
  };
  // On a busy machine timers are late; what is due is made up for.
  const timer = setInterval(() => {
    while (count < ((performance.now() - begunMs) / 1_000) * perSecond) begin();
  }, 10);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      return { count, failures };
    },
  };
}
