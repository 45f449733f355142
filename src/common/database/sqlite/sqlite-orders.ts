import type { Error as AdapterCause, SqlResultSet } from '@prisma/driver-adapter-utils';
import type { SizeLimit } from '../sql/up-to.js';

/** Statement for the database thread. `types` are Prisma's scalar types of the values. */
export interface Statement {
  sql: string;
  values: unknown[];
  types: string[];
  /** True if it may take more than seconds. */
  isLong: boolean;
  upTo?: SizeLimit;
}

/** Order to the database thread. */
export type Order =
  | { do: 'open'; file: string; isReader: boolean }
  | { do: 'query' | 'execute'; statement: Statement }
  | { do: 'atomically'; statements: Statement[] }
  | { do: 'script'; sql: string }
  /** Begins a transaction, identified by the number of this call. */
  | { do: 'begin' }
  /** Compares the rows of a query with those seen by a second connection. */
  | { do: 'check'; sql: string }
  | { do: 'close' };

/** Order with the number of its call, and with its transaction, if any. */
export interface Call {
  number: number;
  order: Order;
  transaction?: number | undefined;
}

/** Call, or the numbers of abandoned calls and of transactions to roll back. */
export type Message = Call | { withdrawn: number[] };

export const isLong = (order: Order): boolean => 'statement' in order && order.statement.isLong;

/** Rows of a query, and their size if it was limited. */
export interface Rows extends SqlResultSet {
  bytes?: number;
}

/** Error passed between threads. Prisma recognizes it by the adapter's `cause`, our code by the driver's `code`. */
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

/** Creates an error in the form of Prisma's own adapters. */
export function adapterError(cause: AdapterCause): Error {
  return errorOf({ name: 'DriverAdapterError', message: cause.originalMessage ?? cause.kind, cause });
}

/** Creates the error of a call that the thread did not answer or dropped. */
export const notAnswered = (reason: string): Error =>
  adapterError({ kind: 'DatabaseNotReachable', originalMessage: `The thread of the database ${reason}` });
