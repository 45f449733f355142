// Preloaded by a bench: on SIGUSR2, writes the longest stall of the event loop in ms to BENCH_STALL_FILE, and begins again. The
// server's own metrics are accurate to 100 ms only.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env.BENCH_STALL_FILE, String(delays.max / 1e6));
  delays.reset();
});
