import type { Compiled, Dialect } from './dialect.js';
import type { Sql } from './sql.js';

/**
 * Compiles a statement of a hot path once for each dialect: joining its text again would cost more than the row. The text must
 * not depend on the values, and `make` takes them in the order in which the text uses them.
 */
export function compiledOnce<V extends unknown[]>(
  make: (dialect: Dialect, ...values: V) => Sql,
): (dialect: Dialect, ...values: V) => Compiled {
  const texts = new Map<Dialect, string>();
  return (dialect, ...values) => {
    let text = texts.get(dialect);
    if (text === undefined) texts.set(dialect, (text = dialect.compile(make(dialect, ...values)).text));
    return { text, values };
  };
}
