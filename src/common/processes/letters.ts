/** Id of the primary, the process that starts the workers. Workers count from 1. */
export const PRIMARY = 0;

/** A message between two processes of one node. The primary passes it on without reading its body, which is JSON. */
export interface Letter {
  kind: 'letter';
  from: number;
  to: number;
  topic: string;
  body: string;
  /** Number of a question, or of the question that this answers. */
  question?: number;
  isAnswer?: boolean;
  /** The receiver of the question could not answer it. */
  isFailure?: boolean;
}

/** Messages to the primary. `ready`: the worker can receive. */
export type ToPrimary = Letter | { kind: 'ready' };

/** Messages to a worker. `siblings`: the workers that can receive. `lost`: some letters did not arrive; all that follow will. */
export type ToWorker = Letter | { kind: 'siblings'; ids: number[] } | { kind: 'lost'; sinceMs: number };

export const encoded = (body: unknown): string => JSON.stringify(body ?? null);
