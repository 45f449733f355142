// Preloaded into a server process: ends it with SIGKILL at the nth call of an operation on files or the database, before
// or after it took place. KILL_AT is `<operation>:<n>:<before|after>`; counting begins when the file KILL_ARMED appears.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const [operation, count, moment] = (process.env.KILL_AT ?? '').split(':');
let left = Number(count);

function strike(name, when) {
  if (name !== operation || when !== moment || !existsSync(process.env.KILL_ARMED)) return;
  if (when === moment && --left === 0) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['rename', 'rm', 'mkdir', 'rmdir', 'unlink', 'open']) {
  const original = fs[name];
  fs[name] = async (...args) => {
    strike(name, 'before');
    const result = await original(...args);
    strike(name, 'after');
    return result;
  };
}
syncBuiltinESMExports();

// Every statement that writes: prepared ones of SQLite, queries of PostgreSQL.
const require = createRequire(import.meta.url);
const WRITES = /^\s*(INSERT|UPDATE|DELETE|COMMIT)/i;
const Sqlite = require('better-sqlite3');
const statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
for (const name of ['run', 'all']) {
  const original = statement[name];
  statement[name] = function (...args) {
    const writes = WRITES.test(this.source);
    if (writes) strike('write', 'before');
    const result = original.apply(this, args);
    if (writes) strike('write', 'after');
    return result;
  };
}
const { Client } = require('pg');
const query = Client.prototype.query;
Client.prototype.query = function (config, ...rest) {
  const text = typeof config === 'string' ? config : config?.text;
  const writes = WRITES.test(text ?? '');
  if (writes) strike('write', 'before');
  const result = query.call(this, config, ...rest);
  if (writes && typeof result?.then === 'function') {
    return result.then((value) => {
      strike('write', 'after');
      return value;
    });
  }
  return result;
};
