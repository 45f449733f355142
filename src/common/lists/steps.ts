import { eventLoop } from '../scheduling/event-loop.js';
import { PAGE_BYTES } from './page.js';

/**
 * Groups rows by their sizes in bytes: each group has at most PAGE_BYTES, or a single row. Other work can run before each group.
 */
export async function* inSteps(sizes: ReadonlyMap<string, number>, tenantId: string): AsyncGenerator<string[]> {
  for (const { ids, bytes } of stepsOf(sizes)) {
    await eventLoop.yield(tenantId);
    eventLoop.countRead(bytes);
    yield ids;
  }
}

interface Step {
  ids: string[];
  bytes: number;
}

function stepsOf(sizes: ReadonlyMap<string, number>): Step[] {
  const steps: Step[] = [];
  for (const [id, bytes] of sizes) {
    const last = steps.at(-1);
    if (!last || last.bytes + bytes > PAGE_BYTES) {
      steps.push({ ids: [id], bytes });
      continue;
    }
    last.ids.push(id);
    last.bytes += bytes;
  }
  return steps;
}
