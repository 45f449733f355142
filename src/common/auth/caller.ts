import type { AnswerBudget } from '../scheduling/operation-budget.js';
import type { HeavyWork } from '../scheduling/heavy-work.js';
import type { Work } from '../scheduling/heavy-run.js';

/** A caller: a key and its tenant. Everything a service reads or writes goes through `tenantId`. */
export interface Caller {
  tenantId: string;
  keyId: string;
  /** First characters of the key, which logs show. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Budget of the running GraphQL operation. Background work has none. */
  budget?: AnswerBudget;
  /** Runs the heavy fields of the running operation. */
  heavy?: HeavyWork;
  /** The heavy work, of a field or of a route, that the call is part of. */
  work?: Work;
}
