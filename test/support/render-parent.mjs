// A separate process that renders: `node render-parent.mjs idle|busy|hostile`. It prints one line of JSON.
import { subscribe } from 'node:diagnostics_channel';
import { createLogger } from '../../dist/common/logging/logger.js';
import { Metrics } from '../../dist/common/metrics/metrics.js';
import { RenderMetrics } from '../../dist/modules/document-rendering/engine/render-metrics.js';
import { RenderPool } from '../../dist/modules/document-rendering/engine/render-pool.js';

const children = [];
subscribe('child_process', ({ process }) => children.push(process));
class PatientPool extends RenderPool {
  maxWaitMs = 120_000; // on a busy machine, a first process takes long
}
const pool = new PatientPool(new RenderMetrics(new Metrics()), createLogger({ logLevel: 'silent' }));
const renderText = (html) => pool.run('tenant', { kind: 'text', html });
const hostile = '<table><tr><td>'.repeat(100_000);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

await renderText('<p>warm');
if (process.argv[2] === 'hostile') {
  pool.maxWaitMs = 3_000;
  let longestStallMs = 0;
  let before = look();
  const watch = setInterval(() => {
    const now = look();
    longestStallMs = Math.max(longestStallMs, Math.min(now.atMs - before.atMs, now.workedMs - before.workedMs));
    before = now;
  }, 5);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => renderText(hostile)));
  clearInterval(watch);
  say({ longestStallMs, refused: outcomes.filter(({ status }) => status === 'rejected').length });
} else {
  setInterval(() => undefined, 1_000);
  if (process.argv[2] === 'busy') void renderText(hostile);
  say({ children: children.map(({ pid }) => pid) });
}

/** A process that waits for a processor stalls too; so a stall counts only its work. */
function look() {
  const { user, system } = process.cpuUsage();
  return { atMs: performance.now(), workedMs: (user + system) / 1_000 };
}
