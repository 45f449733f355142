import type { AnswerBudget } from '../bounds/answer-budget.js';
import type { HeavyWork } from '../work/heavy-work.js';
import type { Work } from '../work/work.js';

/** A caller: a key and its tenant. Everything a service reads or writes goes through `tenantId`. */
export interface Caller {
  tenantId: string;
  keyId: string;
  /** The part of the key that logs show. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Budget of the running GraphQL operation. Background work has none. */
  budget?: AnswerBudget;
  /** Runs the heavy fields of the running operation. */
  heavy?: HeavyWork;
  /** Set within heavy work, of a field or of a route. */
  work?: Work;
}
