// A process of its own that renders: `node render-parent.mjs idle|busy|hostile`. It prints one line of JSON.
import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createLog } from '../../dist/common/logging/log.js';
import { Metrics } from '../../dist/common/metrics/metrics.js';
import { RenderPool } from '../../dist/modules/document-rendering/rendering/render-pool.js';

const children = [];
subscribe('child_process', ({ process }) => children.push(process));
class ImpatientPool extends RenderPool {
  maxWaitMs = 3_000;
}
const pool = new ImpatientPool(new Metrics(), createLog({ logLevel: 'silent' }));
const renderText = (html) => pool.run('tenant', { kind: 'text', html });
const hostile = '<table><tr><td>'.repeat(100_000);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

await renderText('<p>warm');
if (process.argv[2] === 'hostile') {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => renderText(hostile)));
  delay.disable();
  say({ longestStallMs: delay.max / 1e6, refused: outcomes.filter(({ status }) => status === 'rejected').length });
} else {
  setInterval(() => undefined, 1_000);
  if (process.argv[2] === 'busy') void renderText(hostile);
  say({ children: children.map(({ pid }) => pid) });
}
