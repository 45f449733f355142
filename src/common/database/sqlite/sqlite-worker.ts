import { parentPort } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.js';
import { faultOf, isLong, type Order, type Outcome } from './sqlite-orders.js';

/** How long outcomes of orders that arrived together wait for each other. */
const HOLD_MS = 1;

const port = parentPort!;
let connection: SqliteConnection | undefined;
let outcomes: Outcome[] = [];
let last = Promise.resolve();

// Carries out orders one after the other, and reports their outcomes in the same order.
port.on('message', (orders: Order[]) => {
  last = last.then(() => carryOutAll(orders));
});

async function carryOutAll(orders: Order[]): Promise<void> {
  let tellAt = performance.now() + HOLD_MS;
  for (const order of orders) {
    if (isLong(order)) tell();
    outcomes.push(await outcomeOf(order));
    if (performance.now() < tellAt) continue;
    tell();
    tellAt = performance.now() + HOLD_MS;
  }
  tell();
}

function tell(): void {
  if (outcomes.length > 0) port.postMessage(outcomes);
  outcomes = [];
}

async function outcomeOf(order: Order): Promise<Outcome> {
  try {
    return { value: await carryOut(order) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

async function carryOut(order: Order): Promise<unknown> {
  if (order.do === 'open') {
    connection = await SqliteConnection.open(order.file);
    return;
  }
  if (order.do === 'close') {
    port.unref(); // nothing else keeps the thread
    return connection?.close();
  }
  return carryOutOn(connection!, order);
}

async function carryOutOn(on: SqliteConnection, order: Exclude<Order, { do: 'open' | 'close' }>): Promise<unknown> {
  switch (order.do) {
    case 'query':
      return on.query(order.statement);
    case 'execute':
      return on.execute(order.statement);
    case 'atomically':
      return on.atomically(order.statements);
    case 'script':
      return on.script(order.sql);
    case 'begin':
      return on.begin();
    case 'end':
      return on.end();
  }
}
