import { MemoryBudget } from '../../src/common/scheduling/memory-budget.js';
import { Metrics } from '../../src/common/metrics/metrics.js';
import { HeavyWork } from '../../src/common/scheduling/heavy-work.js';
import type { Work } from '../../src/common/scheduling/heavy-run.js';

const MIB = 1024 * 1024;

describe('heavy work', () => {
  const metrics = new Metrics();
  const memory = new MemoryBudget(metrics);
  const pool = memory.answered;
  const heavy = new HeavyWork(memory, metrics);
  const tenantId = 'a tenant';
  const asked = { question: 'a question', memoryBytes: MIB };

  const operation = () => {
    let stop = (): void => undefined;
    const budget = {
      reserve: async () => undefined,
      throwIfLeft: () => undefined,
      onOver: (leave: () => void) => ((stop = leave), () => undefined),
    };
    return { budget, leave: () => stop() };
  };

  it('runs once for equal requests that arrive before it starts', async () => {
    let runs = 0;
    const answers = Array.from({ length: 100 }, () => heavy.ask(tenantId, operation().budget, asked, async () => ++runs));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([1]));
    expect([runs, pool.held]).toEqual([1, 0]);
  });

  it('stops at the next slice once nobody waits, and releases its memory', async () => {
    const { budget, leave } = operation();
    let ended: unknown;
    const stopped = new Promise<void>((resolve) => {
      const work = async (own: Work): Promise<void> => {
        leave();
        try {
          for (;;) await own.turn();
        } catch (error) {
          ended = error;
          resolve();
        }
      };
      heavy.ask(tenantId, budget, asked, work).catch(() => undefined);
    });
    await stopped;
    for (let turn = 0; turn < 100 && pool.held > 0; turn++) await new Promise(setImmediate);
    expect([(ended as Error).message, pool.held]).toEqual(['Nobody waits for this work any more', 0]);
  });
});
