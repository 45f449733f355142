import { type Sent, sendInLanes } from '../../src/common/events/delivery/event-lanes.js';

interface Item {
  id: number;
  subject: string;
}

/** Sends items with an outcome and, beside others, an answer whether there is room. */
async function run(items: Item[], outcome: (item: Item) => Sent, hasRoom = (): boolean => true) {
  const pace = { width: 1, most: 10 };
  const begun: number[] = [];
  const underWay: number[] = [];
  const running = new Set<string>();
  await sendInLanes(items, pace, (item, others) => {
    if (others > 0 && !hasRoom()) return undefined;
    expect(running.has(item.subject)).toBe(false);
    running.add(item.subject);
    begun.push(item.id);
    underWay.push(others + 1);
    return new Promise((resolve) =>
      setImmediate(() => {
        running.delete(item.subject);
        resolve(outcome(item));
      }),
    );
  });
  return { begun, underWay, pace };
}

const items = (count: number, subjects: number): Item[] =>
  Array.from({ length: count }, (_, id) => ({ id, subject: `s${id % subjects}` }));

describe('events of a webhook', () => {
  it('are sent one at first, one more after each success, up to ten, those of a subject in order', async () => {
    const all = items(200, 23);
    const { begun, underWay } = await run(all, () => 'DELIVERED');
    expect(underWay.slice(0, 3)).toEqual([1, 1, 2]);
    expect(Math.max(...underWay)).toBe(10);
    for (let subject = 0; subject < 23; subject++) {
      const of = begun.filter((id) => id % 23 === subject);
      expect(of).toEqual(of.toSorted((a, b) => a - b));
    }
    expect(begun.toSorted((a, b) => a - b)).toEqual(all.map(({ id }) => id));
  });

  it('are sent one after another while there is no room for more', async () => {
    const { underWay } = await run(
      items(50, 50),
      () => 'DELIVERED',
      () => false,
    );
    expect(underWay).toEqual(Array(50).fill(1));
  });

  it('are not sent after one that ends the page', async () => {
    const { begun } = await run(items(50, 50), ({ id }) => (id === 0 ? 'STOP' : 'DELIVERED'));
    expect(begun).toEqual([0]);
  });
});
