import type { AnswerBudget } from '../bounds/answer-budget.js';

/** Who asks: a key and its tenant. Everything a service reads or writes goes through `tenantId`. */
export interface Caller {
  tenantId: string;
  keyId: string;
  /** What logs show of the key. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Of the GraphQL operation that is under way. Work in the background has none. */
  budget?: AnswerBudget;
}
