// Preloaded by a bench: on SIGUSR2, writes the longest stall of the event loop in ms to BENCH_STALL_FILE, and resets it. The server's
// own metrics have a resolution of only 100 ms.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env.BENCH_STALL_FILE, String(delays.max / 1e6));
  delays.reset();
});
