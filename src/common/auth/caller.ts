import type { AnswerBudget } from '../scheduling/operation-budget.js';
import type { HeavyWork } from '../scheduling/heavy-work.js';
import type { Work } from '../scheduling/heavy-run.js';
import type { AccessToken } from '../tokens/access-tokens.js';

/** Person who signed in to Studio. */
export interface Person {
  /** Subject at the issuer. */
  id: string;
  name: string;
}

/** Caller of an operation: a key, a token of one, or a session, and its tenant. Services read and write only data of `tenantId`. */
export interface Caller {
  tenantId: string;
  /** Id of the key or session. */
  keyId: string;
  /** First characters of the key, the name of the token, or the id of the session, as shown in logs. */
  keyPrefix: string;
  scope: ReadonlySet<string>;
  /** Person of a session. */
  person?: Person;
  /** Token that the caller has in place of the key. */
  token?: AccessToken;
  /** Budget of the running GraphQL operation. Background work has none. */
  budget?: AnswerBudget;
  /** Runs the heavy fields of the running operation. */
  heavy?: HeavyWork;
  /** Heavy work, of a field or a route, that the call belongs to. */
  work?: Work;
}

/** Returns who pays the points of a call: its key, or the tenant for all persons together. */
export const payerOf = ({ person, tenantId, keyId }: Caller): string => (person ? tenantId : keyId);

/** Returns the refusal of a caller without a scope entry. */
export const lacksEntry = ({ person }: Caller, entry: string): string =>
  person ? `Your role in this tenant lacks the entry ${entry}` : `The key's scope lacks the entry ${entry}`;
