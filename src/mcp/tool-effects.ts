import type { OperationKind } from '../common/auth/scopes.js';

/** Hints of MCP about the effects of a tool. */
export interface ToolEffects {
  readOnlyHint: boolean;
  /** Whether it may remove or replace what exists. */
  destructiveHint: boolean;
  /** Whether repeating it with the same arguments has no further effect. */
  idempotentHint: boolean;
  /** Whether it acts on more than the data of the tenant. */
  openWorldHint: boolean;
}

/** First words of mutations that only add. Any other mutation counts as destructive, so that an unknown one is confirmed by a person. */
const ADDS = /^(check|confirm|copy|create|generate|initiate|push|put|redeliver|register|render|report|send|test|verify)(?![a-z])/;
/** First words of mutations whose repetition changes nothing more. */
const REPEATABLE =
  /^(abort|cancel|change|check|complete|confirm|delete|disconnect|generate|move|put|register|report|reschedule|restore|rewind|update|verify)(?![a-z])/;
/** First words of mutations that reach persons or other servers. */
const REACHES_OUT = /^(check|push|redeliver|send|test|verify)(?![a-z])/;

/** Returns the hints of an operation, from its kind and the first word of its name. */
export function effectsOf(kind: OperationKind, name: string): ToolEffects {
  if (kind === 'query') return { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  return {
    readOnlyHint: false,
    destructiveHint: !ADDS.test(name),
    idempotentHint: REPEATABLE.test(name),
    openWorldHint: REACHES_OUT.test(name),
  };
}
