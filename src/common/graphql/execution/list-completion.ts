import type { OperationBudget } from '../../scheduling/operation-budget.js';
import { eventLoop } from '../../scheduling/event-loop.js';

/** Number of elements completed without looking at the time. */
const FEW = 10;

type Complete = (element: unknown, index: number) => unknown;

interface CompletionContext {
  budget: OperationBudget;
  complete: Complete;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Completes the elements of a list. Other work can run between elements of a long list of objects. */
export function completeList(
  elements: unknown[],
  areObjects: boolean,
  context: CompletionContext,
): unknown[] | Promise<unknown[]> {
  const completed: unknown[] = [];
  try {
    for (let index = 0, endsAt = Infinity; index < elements.length; index++) {
      if (index === FEW) endsAt = eventLoop.listsEndAt;
      const isTurnOver = context.budget.waiting || (index > FEW && performance.now() >= endsAt);
      if (areObjects && isTurnOver) return completeInTurns(elements, completed, context);
      completed.push(context.complete(elements[index], index));
    }
  } catch (error) {
    return afterAll(completed, error);
  }
  return completed.some(isPromise) ? Promise.all(completed) : completed;
}

/** Continues after the elements in `completed`. */
async function completeInTurns(
  elements: unknown[],
  completed: unknown[],
  { budget, complete }: CompletionContext,
): Promise<unknown[]> {
  completed.forEach(expectFailure);
  try {
    for (let index = completed.length; index < elements.length; index++) {
      if (budget.waiting) await budget.waiting;
      if (eventLoop.sliceUsed) await eventLoop.yield(budget.tenantId);
      completed.push(complete(elements[index], index));
      expectFailure(completed[index]);
    }
  } catch (error) {
    return afterAll(completed, error);
  }
  return Promise.all(completed);
}

/** Marks a rejection as handled, since `Promise.all` handles it later. */
function expectFailure(value: unknown): void {
  if (isPromise(value)) value.then(undefined, () => undefined);
}

/** Throws the error at once, or once all promises among the values are settled. */
export function afterAll(values: unknown[], error: unknown): Promise<never> {
  const promises = values.filter(isPromise);
  if (promises.length === 0) throw error;
  return Promise.allSettled(promises).then(() => {
    throw error;
  });
}
