// Preloaded into a server process: ends it with SIGKILL before or after a step. A step is what changes the content of the
// service, and the answer to the caller:
//   rename, rm   of the folder store
//   PUT, POST, DELETE   a request to the S3 store; after it is once its response has ended
//   write        a statement on files, uploads or blocks of the log, each a transaction of its own; or on KILL_TABLES
//   answer       an HTTP response being ended
// The file KILL_PLAN holds the orders: `<n> <before|after>`, the nth step from the moment at which the file is there. Several
// orders, joined by commas and each with a name, are for requests with that name in the header x-killed-as: the first that
// come to their step stay there for ever, and the process ends when the last one does. Each step that begins adds a line to
// the file, its name and that of its request, so that the test sees what was done.
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

const plan = process.env.KILL_PLAN;
const die = () => process.kill(process.pid, 'SIGKILL');
const names = new AsyncLocalStorage();
const hasStore = Boolean(process.env.S3_ENDPOINT);

/** Notes that a step begins. Answers with whether it is never to take place, and with what to call when it has. */
function begin(step) {
  if (!existsSync(plan)) return { isHeld: false, end: () => undefined };
  const name = names.getStore();
  const [line, ...begun] = readFileSync(plan, 'utf8').trimEnd().split('\n');
  const begunBy = (who) => begun.filter((one) => one.split(' ')[1] === who).length;
  const orders = line.split(',').map((order) => order.split(' '));
  const mine = orders.find(([, , who]) => who === name);
  // A request that gave its held step of the store up as silent goes no further either.
  if (hasStore && mine?.[1] === 'before' && begunBy(name) >= Number(mine[0])) return { isHeld: true, end: () => undefined };
  appendFileSync(plan, name ? `${step} ${name}\n` : `${step}\n`);
  begun.push(name ? `${step} ${name}` : step);
  const isIt = mine !== undefined && begunBy(name) === Number(mine[0]);
  const isLast = orders.every(([nth, , who]) => begunBy(who) >= Number(nth));
  const isHeld = isIt && mine[1] === 'before';
  if (isHeld && isLast) die();
  return { isHeld, end: () => isIt && die() };
}
const never = new Promise(() => undefined);

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...args) {
  if (event !== 'request') return emit.call(this, event, ...args);
  return names.run(args[0].headers['x-killed-as'], () => emit.call(this, event, ...args));
};

for (const name of ['rename', 'rm']) {
  const original = fs[name];
  fs[name] = async (...args) => {
    const { isHeld, end } = begin(name);
    if (isHeld) await never;
    const result = await original(...args);
    end();
    return result;
  };
}

// A server changes nothing over HTTP but its store.
const request = http.request;
http.request = (...args) => {
  const options = args.find((arg) => arg?.method);
  if (!['PUT', 'POST', 'DELETE'].includes(options?.method)) return request(...args);
  const { isHeld, end } = begin(options.method);
  if (isHeld) {
    // Connects for ever, and does not end when it is given up as silent.
    const createConnection = () => Object.assign(new Socket(), { connecting: true });
    const held = request({ ...options, agent: undefined, createConnection });
    return Object.assign(held, { destroy: () => held });
  }
  return request(...args).once('response', (response) => response.once('end', end));
};
syncBuiltinESMExports();

const answer = http.ServerResponse.prototype.end;
http.ServerResponse.prototype.end = function (...args) {
  return begin('answer').isHeld ? this : answer.apply(this, args);
};

const TABLES = process.env.KILL_TABLES ?? 'File|MultipartUpload|LogBlock';
const WRITES = new RegExp(
  `^\\s*(WITH e AS \\(\\s*)?(INSERT INTO|UPDATE|DELETE FROM)\\s+([\`"]\\w+[\`"]\\.)?[\`"](${TABLES})[\`"]`,
  'i',
);

/** A statement from when it is sent to the database until its outcome is known. */
const stepOf = (text, send) => {
  if (!WRITES.test(text)) return send();
  const { isHeld, end } = begin('write');
  return isHeld ? never : send().finally(end);
};
const inSteps = (queryable) => {
  for (const name of ['queryRaw', 'executeRaw']) {
    const send = queryable[name].bind(queryable);
    queryable[name] = (query) => stepOf(query.sql, () => send(query));
  }
  return queryable;
};
// The server is a bundle, in which the modules of both databases are files.
const bundle = new URL('../../dist/bundle/', import.meta.url);
const load = (folder, name) => {
  const file = readdirSync(bundle).find((one) => one.startsWith(name));
  return import(new URL(file ?? `../common/database/${folder}/${name}.js`, bundle).href);
};
const { SqliteAdapterFactory } = await load('sqlite', 'sqlite-adapter');
const { connect } = SqliteAdapterFactory.prototype;
SqliteAdapterFactory.prototype.connect = async function () {
  const connection = inSteps(await connect.call(this));
  const { startTransaction: start, atomically } = connection;
  connection.atomically = (queries) => stepOf(queries[0].sql, () => atomically.call(connection, queries));
  connection.startTransaction = async (...args) => inSteps(await start.apply(connection, args));
  return connection;
};

const { BoundedPool } = await load('postgresql', 'postgres-pool');
const { Client: BoundedClient } = new BoundedPool('postgresql://never-connected', 1);
const Client = Object.getPrototypeOf(BoundedClient); // that of the package, which all other connections have too
const { query } = Client.prototype;
Client.prototype.query = function (...args) {
  if (!WRITES.test(args[0]?.text ?? args[0])) return query.apply(this, args);
  const { isHeld, end } = begin('write');
  if (isHeld) return never;
  const callback = args.findIndex((arg) => typeof arg === 'function');
  if (callback < 0) return query.apply(this, args).finally(end);
  const tell = args[callback]; // the pool's
  args[callback] = (...result) => {
    end();
    tell(...result);
  };
  return query.apply(this, args);
};
