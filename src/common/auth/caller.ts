import type { AnswerBudget } from '../bounds/answer-budget.js';

/** A caller: a key and its tenant. Everything a service reads or writes goes through `tenantId`. */
export interface Caller {
  tenantId: string;
  keyId: string;
  /** The part of the key that logs show. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Budget of the running GraphQL operation. Background work has none. */
  budget?: AnswerBudget;
}
