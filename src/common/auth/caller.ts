import type { AnswerBudget } from '../scheduling/operation-budget.js';
import type { HeavyWork } from '../scheduling/heavy-work.js';
import type { Work } from '../scheduling/heavy-run.js';

/** Caller of an operation: a key and its tenant. Services read and write only data of `tenantId`. */
export interface Caller {
  tenantId: string;
  keyId: string;
  /** First characters of the key, as shown in logs. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Budget of the running GraphQL operation. Background work has none. */
  budget?: AnswerBudget;
  /** Runs the heavy fields of the running operation. */
  heavy?: HeavyWork;
  /** Heavy work, of a field or a route, that the call belongs to. */
  work?: Work;
}
