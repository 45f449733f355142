import { OperationSlots } from '../../src/common/graphql/execution/operation-slots.js';
import { MAX_COST } from '../../src/common/graphql/documents/query-limits.js';

/** An operation that runs until it is told to end. */
function operation(slots: OperationSlots, tenantId: string, cost: number) {
  const stops: (() => void)[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const state = { hasBegun: false };
  const budget = {
    tenantId,
    onOver: (stop: () => void) => {
      stops.push(stop);
      return () => void stops.splice(stops.indexOf(stop), 1);
    },
  };
  const done = slots.run(cost, budget, async () => {
    state.hasBegun = true;
    await ended;
  });
  const over = () => [...stops].forEach((stop) => stop());
  return { state, end, done, over };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('large operations of a tenant', () => {
  it('run one after another, while small ones and those of other tenants do not wait', async () => {
    const slots = new OperationSlots();
    const first = operation(slots, 'busy', MAX_COST);
    const second = operation(slots, 'busy', MAX_COST);
    const small = operation(slots, 'busy', 100);
    const other = operation(slots, 'other', MAX_COST);
    await settled();
    expect([first, second, small, other].map(({ state }) => state.hasBegun)).toEqual([true, false, true, true]);
    first.end();
    await first.done;
    await settled();
    expect(second.state.hasBegun).toBe(true);
    for (const one of [second, small, other]) one.end();
    await Promise.all([second.done, small.done, other.done]);
  });

  it('run concurrently while their costs together are within that of the largest', async () => {
    const slots = new OperationSlots();
    const half = MAX_COST / 2;
    const [one, two, three] = [half, half, half].map((cost) => operation(slots, 'busy', cost));
    await settled();
    expect([one, two, three].map((each) => each!.state.hasBegun)).toEqual([true, true, false]);
    two!.end();
    await two!.done;
    await settled();
    expect(three!.state.hasBegun).toBe(true);
    for (const each of [one, three]) each!.end();
    await Promise.all([one!.done, three!.done]);
  });

  it('stop waiting when they are over, and release their slot to the next', async () => {
    const slots = new OperationSlots();
    const first = operation(slots, 'busy', MAX_COST);
    const left = operation(slots, 'busy', MAX_COST);
    const next = operation(slots, 'busy', MAX_COST);
    left.over();
    await settled();
    expect(left.state.hasBegun).toBe(true); // to fail each of its fields
    left.end();
    await left.done;
    await settled();
    expect(next.state.hasBegun).toBe(false);
    first.end();
    await first.done;
    await settled();
    expect(next.state.hasBegun).toBe(true);
    next.end();
    await next.done;
  });
});
