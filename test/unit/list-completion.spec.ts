import { completeList } from '../../src/common/graphql/execution/list-completion.js';
import type { OperationBudget } from '../../src/common/scheduling/operation-budget.js';
import { hold } from '../support/time.js';

const budget = { tenantId: 'a' } as OperationBudget;
const elements = (length: number) => Array.from({ length }, (_, index) => index);

describe('the completion of a list', () => {
  /** Completed elements in each turn of the event loop. */
  let turns: number[];
  let isOver: boolean;
  beforeEach(() => {
    turns = [0];
    isOver = false;
    const count = () => {
      turns.push(0);
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
  });
  afterEach(() => (isOver = true));

  const complete = (ms: number) => (element: unknown) => {
    hold(ms);
    turns.push(turns.pop()! + 1);
    return element;
  };

  it('happens in one turn for a usual page', async () => {
    const inOneTurn = () => Array.isArray(completeList(elements(100), true, { budget, complete: complete(0) }));
    // Tried again where the machine takes the processor away meanwhile.
    while (!inOneTurn()) await new Promise((resolve) => setImmediate(resolve));
  });

  it('leaves the event loop to others after a few elements that each take long', async () => {
    expect(await completeList(elements(100), true, { budget, complete: complete(1) })).toEqual(elements(100));
    expect(Math.max(...turns)).toBeLessThan(20);
  });

  it('shares the time of a turn with the lists within it', async () => {
    const inner = () => completeList(elements(50), true, { budget, complete: complete(0.2) });
    expect(await completeList(elements(30), true, { budget, complete: inner })).toEqual(elements(30).map(() => elements(50)));
    expect(Math.max(...turns)).toBeLessThan(200);
  });
});
