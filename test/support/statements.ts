import { jest } from '@jest/globals';
import { DatabaseMetrics } from '../../src/common/database/database-metrics.js';

/** Records the texts of all statements of the servers in this process, in order, until `stop` is called. */
export function recordStatements(): { texts: string[]; stop: () => void } {
  const texts: string[] = [];
  const { timed } = DatabaseMetrics.prototype;
  const spy = jest.spyOn(DatabaseMetrics.prototype, 'timed').mockImplementation(function (this: DatabaseMetrics, text, run) {
    texts.push(typeof text === 'string' ? text : text());
    return timed.call(this, text, run) as never;
  });
  return { texts, stop: () => spy.mockRestore() };
}
