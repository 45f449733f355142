import type { AddressProgress } from '../html/addresses.js';
import type { SourcePosition } from '../result/rendering.js';
import type { Warnings } from '../result/warnings.js';
import type { Work } from '../result/work.js';

/** One rendering: all the state that a compiled template reads or writes. */
export interface Run {
  readonly params: object;
  /** The names of loops, by slot. */
  readonly locals: unknown[];
  readonly missing: Set<string>;
  readonly warnings: Warnings;
  /** Whatever takes longer with longer values, or repeats, takes its units here first. */
  readonly work: Work;
  /** The parameter of the value that was read last, named as in `missing`; null for a literal. */
  path: string | null;
  out: string;
  /** The output before the URL attribute that is being written. */
  before: string;
  /** The values in the URL attribute that is being written, with `path` as it was at each. */
  readonly urlValues: Map<SourcePosition, string | null>;
  /** Where these values stand in the attribute, and the address so far. */
  address: { values: [from: number, to: number][]; progress: AddressProgress };
}

/** A compiled expression. */
export type Value = (run: Run) => unknown;

/** A compiled statement. */
export type Write = (run: Run) => void;

/** The state behind the name `loop`. */
export interface LoopCount {
  index: number;
  length: number;
}
