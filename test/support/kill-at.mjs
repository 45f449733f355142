// Preloaded into a server process: ends it with SIGKILL before or after a step. A step is what changes the content of the
// service, and the answer to the caller:
//   rename, rm   of the folder store
//   PUT, POST, DELETE   a request to the S3 store; after it is once its response has ended
//   write        a statement on files, uploads or blocks of the log, each a transaction of its own; or on KILL_TABLES
//   answer       an HTTP response being ended
// The file KILL_PLAN is its order: `<n> <before|after>`, the nth step from the moment at which the file is there. Each step
// that begins adds a line with its name to the file, so that the test sees what was done.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import http from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const plan = process.env.KILL_PLAN;
const die = () => process.kill(process.pid, 'SIGKILL');

/** Notes that a step begins. Answers with what is to be called when it has taken place. */
function begin(step) {
  if (!existsSync(plan)) return () => undefined;
  appendFileSync(plan, `${step}\n`);
  const [order, ...begun] = readFileSync(plan, 'utf8').trimEnd().split('\n');
  const [nth, moment] = order.split(' ');
  const isIt = begun.length === Number(nth);
  if (isIt && moment === 'before') die();
  return () => isIt && die();
}

for (const name of ['rename', 'rm']) {
  const original = fs[name];
  fs[name] = async (...args) => {
    const end = begin(name);
    const result = await original(...args);
    end();
    return result;
  };
}

// A server changes nothing over HTTP but its store.
const request = http.request;
http.request = (...args) => {
  const { method = 'GET' } = args.find((arg) => arg?.method) ?? {};
  if (!['PUT', 'POST', 'DELETE'].includes(method)) return request(...args);
  const end = begin(method);
  return request(...args).once('response', (response) => response.once('end', end));
};
syncBuiltinESMExports();

const answer = http.ServerResponse.prototype.end;
http.ServerResponse.prototype.end = function (...args) {
  begin('answer');
  return answer.apply(this, args);
};

const TABLES = process.env.KILL_TABLES ?? 'File|MultipartUpload|LogBlock';
const WRITES = new RegExp(
  `^\\s*(WITH e AS \\(\\s*)?(INSERT INTO|UPDATE|DELETE FROM)\\s+([\`"]\\w+[\`"]\\.)?[\`"](${TABLES})[\`"]`,
  'i',
);
const require = createRequire(import.meta.url);

const Sqlite = require('better-sqlite3');
const statement = Object.getPrototypeOf(new Sqlite(':memory:').prepare('SELECT 1'));
for (const name of ['run', 'all']) {
  const original = statement[name];
  statement[name] = function (...args) {
    if (!WRITES.test(this.source)) return original.apply(this, args);
    const end = begin('write');
    const result = original.apply(this, args);
    end();
    return result;
  };
}

const { Client } = require('pg');
const { query } = Client.prototype;
Client.prototype.query = function (...args) {
  if (!WRITES.test(args[0]?.text ?? args[0])) return query.apply(this, args);
  const end = begin('write');
  const callback = args.findIndex((arg) => typeof arg === 'function');
  if (callback < 0) return query.apply(this, args).finally(end);
  const tell = args[callback]; // the pool's
  args[callback] = (...result) => {
    end();
    tell(...result);
  };
  return query.apply(this, args);
};
