import { setImmediate } from 'node:timers/promises';
import type { AnswerBudget } from './answer-budget.js';

/** Heavy work, as seen by the code that does it. */
export interface Work extends AnswerBudget {
  /** Aborted once nobody waits for the result. */
  readonly signal: AbortSignal;
  /**
   * Ends a slice: other requests go on, and other tenants have their turn when one is due. Call it at least after each 2 ms of work and after each
   * statement.
   * @throws once nobody waits for the result
   */
  turn(): Promise<void>;
}

/** The resources that heavy work reserves and is charged for. */
export interface HeavyNeeds {
  /** Memory that one run holds at its peak, reserved before it begins. A run that learns of more rows reserves those itself. */
  memoryBytes: number;
  /** Added to the cost of an operation for each time the field is asked: the most records that it reads, divided by 100. */
  cost: number;
  /** A text argument that the cost grows with, and the length from which on it is the whole cost. */
  text?: { argument: string; length: number };
}

/** Ends a slice of work. Code that is not part of heavy work, such as a command, only lets the event loop turn. */
export const turnOf = (work: Work | undefined): Promise<void> => (work ? work.turn() : setImmediate());

/** Ends work that no caller waits for, so that no caller sees this error. */
export const ABANDONED = new Error('Nobody waits for this work any more');
