import type { AddressProgress } from '../html/addresses.js';
import type { Reader } from '../filters/reader.js';
import type { SourcePosition } from '../result/rendering.js';
import type { Warnings } from '../result/warnings.js';
import type { WorkUnits } from '../result/work-units.js';

/** State of one rendering, read and written by a compiled template. */
export interface Run {
  readonly params: object;
  readonly reader: Reader;
  /** Values of loop names, by slot. */
  readonly locals: unknown[];
  readonly missing: Set<string>;
  readonly warnings: Warnings;
  /** Remaining work. Every repeated step, or one whose time grows with a value, subtracts its units first. */
  readonly work: WorkUnits;
  /** Path of the last parameter read, as in `missing`; null for a literal. */
  path: string | null;
  out: string;
  /** Output before the current URL attribute. */
  before: string;
  /** Positions of the values in the current URL attribute, each with the `path` of its value. */
  readonly urlValues: Map<SourcePosition, string | null>;
  /** Offsets of these values in the attribute, and the URL written so far. */
  address: { values: [from: number, to: number][]; progress: AddressProgress };
}

/** Compiled expression. */
export type Value = (run: Run) => unknown;

/** Compiled statement. */
export type Write = (run: Run) => void;

/** Counter that the name `loop` reads. */
export interface LoopCount {
  index: number;
  length: number;
}
