import { beginChild, currentSpan, type Span, SpanKind } from '../tracing/spans.js';

const MAX_TEXT = 1_024;
/** How far into a statement its verb and table are looked for. */
const MAX_LOOKED_AT = 4_096;
const VERB = /\b(SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK|WITH)\b/i;
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+(?:["`]\w+["`]\.)?["`](\w+)["`]/i;

/**
 * Begins the span of a statement that is part of a trace. Values are parameters of a statement, so that its text has none of a
 * caller; `text` is a function where it has to be made.
 */
export function beginStatement(system: string, text: string | (() => string)): Span | undefined {
  if (!currentSpan()) return undefined;
  const head = (typeof text === 'string' ? text : text()).slice(0, MAX_LOOKED_AT);
  const verb = VERB.exec(head)?.[1]?.toUpperCase();
  const summary = [verb, TABLE.exec(head)?.[1]].filter(Boolean).join(' ');
  return beginChild(summary || system, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': system, 'db.query.text': copyOf(head.slice(0, MAX_TEXT)) },
  });
}

/** Copies a part of a text, which would keep the whole in memory: statements can be long, and spans wait for the collector. */
const copyOf = (text: string): string => Buffer.from(text).toString();
