// Preloaded into a server process, and so into its threads: stops the thread of SQLite before or after a statement, as a slow disk does.
// The file STALL_PLAN holds one order, `<kind> <before|after> <ms>`, and is removed when the thread stops. Kinds: begin, commit, rollback;
// inside, any other statement of a transaction; read and write, those outside of one.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const plan = process.env.STALL_PLAN;
const ENDS = { BEGIN: 'begin', COMMIT: 'commit', ROLLBACK: 'rollback' };

function kindOf(sql, isInTransaction) {
  const verb = /^[^A-Za-z]*(\w+)/.exec(sql)?.[1].toUpperCase();
  return ENDS[verb] ?? (isInTransaction ? 'inside' : verb === 'SELECT' || verb === 'WITH' ? 'read' : 'write');
}

function stop(kind, moment) {
  if (!existsSync(plan)) return;
  const [wanted, when, ms] = readFileSync(plan, 'utf8').split(' ');
  if (wanted !== kind || when !== moment) return;
  rmSync(plan);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
}

const stopping = (run, about) =>
  function (...args) {
    const kind = kindOf(...about(this, args));
    stop(kind, 'before');
    const result = run.apply(this, args);
    stop(kind, 'after');
    return result;
  };

if (!isMainThread) {
  const Database = createRequire(import.meta.url)('better-sqlite3');
  const database = new Database(':memory:');
  const Statement = Object.getPrototypeOf(database.prepare('SELECT 1'));
  for (const name of ['run', 'all', 'iterate']) {
    Statement[name] = stopping(Statement[name], (statement) => [statement.source, statement.database.inTransaction]);
  }
  Database.prototype.exec = stopping(Database.prototype.exec, (on, [sql]) => [sql, on.inTransaction]);
  database.close();
}
