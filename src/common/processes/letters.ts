/** Id of the primary, the process that starts the workers. Workers count from 1. */
export const PRIMARY = 0;

/** A message between two processes of one node. */
export interface Letter {
  topic: string;
  body?: unknown;
  /** Number of a question, or of the question that this answers. */
  question?: number;
  isAnswer?: boolean;
  /** The receiver of the question could not answer it. */
  isFailure?: boolean;
}

/** Letters of one process to another. */
export interface Parcel {
  kind: 'parcel';
  from: number;
  to: number;
  /** JSON of a list of letters. The primary passes it on without reading it. */
  letters: string;
}

/** Messages to the primary. `ready`: the worker can receive. `alive`: its event loop turns. */
export type ToPrimary = Parcel | { kind: 'ready' } | { kind: 'alive' };

/** Messages to a worker. `siblings`: the workers that can receive. `lost`: some letters did not arrive; all that follow will. */
export type ToWorker = Parcel | { kind: 'siblings'; ids: number[] } | { kind: 'lost'; sinceMs: number };

export const lettersOf = (parcel: Parcel): Letter[] => JSON.parse(parcel.letters) as Letter[];
