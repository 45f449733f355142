import type { SourcePosition } from '../result/rendering.js';
import { noteWarning } from '../result/warnings.js';
import { MISSING } from './expressions.js';
import type { LoopCount, Run, Value, Write } from './run.js';

interface Loop {
  read: Value;
  /** Path of the list, if it comes from the params. */
  path: string | undefined;
  position: SourcePosition;
  /** Slot of the loop counter. The following slots hold the loop names. */
  slot: number;
  names: number;
  body: Write;
  /** Output for an empty list. */
  otherwise: Write | undefined;
  /** Maximum work of one iteration, without inner loops. */
  unitsOfPass: number;
}

export function repeated(loop: Loop): Write {
  const { slot, names, body, otherwise, unitsOfPass } = loop;
  return (run) => {
    const entries = entriesIn(run, loop);
    if (entries.length === 0) return otherwise?.(run);
    run.work.take(entries.length * unitsOfPass);
    const count: LoopCount = { index: 0, length: entries.length };
    run.locals[slot] = count;
    for (const entry of entries) {
      for (let index = 0; index < names; index++) run.locals[slot + 1 + index] = entry[index];
      body(run);
      count.index += 1;
    }
  };
}

const WANTED = ['a list', 'an object or a list'];

/** Returns the values of the loop names per iteration. Adds a warning for a value that is not iterable. */
function entriesIn(run: Run, { read, path, position, names }: Loop): unknown[][] {
  const value = read(run);
  if (value === MISSING) {
    if (path !== undefined) run.missing.add(path);
    return [];
  }
  const entries = entriesOf(value, names);
  if (!entries && value !== null) {
    const reason = `omitted: a loop with ${names === 1 ? 'one name' : 'two names'} needs ${WANTED[names - 1]}`;
    noteWarning(run, position, reason, path ?? null);
  }
  return entries ?? [];
}

/** Returns the values per iteration; undefined if a loop with this number of names cannot iterate over the value. */
function entriesOf(value: unknown, names: number): unknown[][] | undefined {
  if (Array.isArray(value)) {
    return names === 1 ? value.map((item: unknown) => [item]) : value.map((item: unknown) => (Array.isArray(item) ? item : []));
  }
  return names === 2 && value !== null && typeof value === 'object' ? Object.entries(value) : undefined;
}
