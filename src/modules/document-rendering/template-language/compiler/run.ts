import type { AddressProgress } from '../html/addresses.js';
import type { Reader } from '../filters/reader.js';
import type { SourcePosition } from '../result/rendering.js';
import type { Warnings } from '../result/warnings.js';
import type { WorkUnits } from '../result/work-units.js';

/** One rendering: all the state that a compiled template reads or writes. */
export interface Run {
  readonly params: object;
  readonly reader: Reader;
  /** The values of loop names, by slot. */
  readonly locals: unknown[];
  readonly missing: Set<string>;
  readonly warnings: Warnings;
  /** The remaining work. Anything that is repeated, or takes longer for longer values, takes its units from here first. */
  readonly work: WorkUnits;
  /** The path of the parameter that was read last, as in `missing`; null for a literal. */
  path: string | null;
  out: string;
  /** The output up to the URL attribute that is being written. */
  before: string;
  /** The positions of the values in the URL attribute that is being written, each with the `path` of its value. */
  readonly urlValues: Map<SourcePosition, string | null>;
  /** The offsets of these values in the attribute, and the address written so far. */
  address: { values: [from: number, to: number][]; progress: AddressProgress };
}

/** A compiled expression. */
export type Value = (run: Run) => unknown;

/** A compiled statement. */
export type Write = (run: Run) => void;

/** The state that the name `loop` reads. */
export interface LoopCount {
  index: number;
  length: number;
}
