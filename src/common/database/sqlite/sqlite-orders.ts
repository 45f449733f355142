import type { Error as AdapterCause, SqlResultSet } from '@prisma/driver-adapter-utils';
import type { SizeLimit } from '../sql/up-to.js';

/** A statement on its way to the thread of the database. `types` are Prisma's scalar types of the values. */
export interface Statement {
  sql: string;
  values: unknown[];
  types: string[];
  /** May take more than seconds. */
  isLong: boolean;
  upTo?: SizeLimit;
}

/** An order to the thread of the database. */
export type Order =
  | { do: 'open'; file: string; isReader: boolean }
  | { do: 'query' | 'execute'; statement: Statement }
  | { do: 'atomically'; statements: Statement[] }
  | { do: 'script'; sql: string }
  /** Begins a transaction, which is named by the number of this call. */
  | { do: 'begin' }
  /** Compares the rows of a query with those that a second connection sees. */
  | { do: 'check'; sql: string }
  | { do: 'close' };

/** An order with the number of its caller, and the transaction that it belongs to, if any. */
export interface Call {
  number: number;
  order: Order;
  transaction?: number | undefined;
}

/** A call; or the numbers of calls whose callers gave up, and of transactions to roll back. */
export type Message = Call | { withdrawn: number[] };

export const isLong = (order: Order): boolean => 'statement' in order && order.statement.isLong;

/** The rows of a query, and their size if they were limited by it. */
export interface Rows extends SqlResultSet {
  bytes?: number;
}

/** An error as it crosses between threads. Prisma knows it by the adapter's `cause`, and we by the driver's `code`. */
export interface Fault {
  name: string;
  message: string;
  code?: string;
  cause?: unknown;
}

export type Outcome = { call: number } & ({ value: unknown } | { fault: Fault });

export function faultOf(error: unknown): Fault {
  const { name, message, code, cause } = error as Fault;
  return { name, message, code, cause };
}

export function errorOf({ name, message, code, cause }: Fault): Error {
  return Object.assign(new Error(message, { cause }), { name }, code !== undefined && { code });
}

/** Makes an error in the form of Prisma's own adapters. */
export function adapterError(cause: AdapterCause): Error {
  return errorOf({ name: 'DriverAdapterError', message: cause.originalMessage ?? cause.kind, cause });
}

/** Error of a caller that the thread did not answer, or whose order it dropped. */
export const notAnswered = (reason: string): Error =>
  adapterError({ kind: 'DatabaseNotReachable', originalMessage: `The thread of the database ${reason}` });
