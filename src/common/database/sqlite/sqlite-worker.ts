import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { MANY_ROWS } from '../sql/up-to.js';
import { SqliteConnection } from './sqlite-connection.js';
import { type Call, faultOf, isLong, type Message, type Order, type Outcome, type Rows } from './sqlite-orders.js';
import { SqliteTurns } from './sqlite-turns.js';

/** Time for which results are collected before they are sent together. */
const HOLD_MS = 1;
/** Maximum time of an open transaction without an order. Exceeds the wait of its owner: see TRANSACTION_MS. */
const OWNER_SILENT_MS = 15_000;

const port = parentPort!;
let connection: SqliteConnection | undefined;
let outcomes: Outcome[] = [];
let isWorking = false;
let ownerSilence: NodeJS.Timeout | undefined;
const turns = new SqliteTurns(
  () => connection,
  ({ number }, reason) => outcomes.push({ call: number, fault: faultOf(reason) }),
);

port.on('message', (messages: Message[]) => {
  take(messages);
  void work();
});

function take(messages: Message[]): void {
  for (const message of messages) {
    if ('withdrawn' in message) turns.withdraw(message.withdrawn);
    else turns.add(message);
  }
}

/** Receives messages after each order, so that turns are decided among all pending orders. */
function takeArrived(): void {
  for (let arrived; (arrived = receiveMessageOnPort(port)) !== undefined;) take(arrived.message as Message[]);
}

async function work(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  clearTimeout(ownerSilence);
  let tellAt = performance.now() + HOLD_MS;
  for (let call = turns.next(); call; call = turns.next()) {
    if (isLong(call.order)) tell();
    outcomes.push(await outcomeOf(call));
    turns.carriedOut(call);
    takeArrived();
    // Rows of several statements in one message would all be in memory while the first are processed.
    if (performance.now() < tellAt && !hasManyRows(outcomes.at(-1)!)) continue;
    tell();
    tellAt = performance.now() + HOLD_MS;
  }
  tell();
  isWorking = false;
  if (turns.waitsForOwner) ownerSilence = setTimeout(endSilent, OWNER_SILENT_MS);
}

/** Rolls back the open transaction, unless an order of its owner arrived while this thread was busy or suspended. */
function endSilent(): void {
  takeArrived();
  if (turns.waitsForOwner) turns.rollBack();
  void work();
}

function tell(): void {
  if (outcomes.length > 0) port.postMessage(outcomes);
  outcomes = [];
}

function hasManyRows(outcome: Outcome): boolean {
  return 'value' in outcome && ((outcome.value as Partial<Rows> | undefined)?.rows?.length ?? 0) >= MANY_ROWS;
}

async function outcomeOf(call: Call): Promise<Outcome> {
  try {
    if (call.order.do !== 'close') turns.requireOwner(call);
    const value = await carryOut(call.order);
    if (call.order.do !== 'begin') turns.requireOwner(call);
    return { call: call.number, value };
  } catch (error) {
    return { call: call.number, fault: faultOf(error) };
  }
}

async function carryOut(order: Order): Promise<unknown> {
  if (order.do === 'open') {
    connection = await SqliteConnection.open(order.file, order.isReader);
    return;
  }
  if (order.do === 'close') {
    clearTimeout(ownerSilence);
    port.unref(); // nothing else keeps the thread alive
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
    case 'check':
      return on.check(order.sql);
  }
}
