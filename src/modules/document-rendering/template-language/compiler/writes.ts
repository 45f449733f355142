import { decodeHTMLAttribute } from 'entities';
import { MAX_OUTPUT, outputTooLarge } from '../result/refusal.js';
import type { SourcePosition } from '../result/rendering.js';
import { noteWarning } from '../result/warnings.js';
import { hasNoText, NO_TEXT } from '../text/escaping.js';
import type { Printer } from './printing.js';
import type { Value, Write } from './run.js';

/** Writes text of the template. */
export const literal =
  (text: string): Write =>
  (run) => {
    run.out += text;
  };

/** Writes text of the template inside a URL. */
export function addressText(text: string): Write {
  const decoded = decodeHTMLAttribute(text);
  return (run) => {
    run.out += text;
    run.address.progress.author(decoded);
  };
}

/** Writes a value with a printer. */
export function printed(value: Value, { print, units }: Printer, position: SourcePosition): Write {
  return (run) => {
    const given = value(run);
    run.work.take(units(given, run));
    if (hasNoText(given)) noteWarning(run, position, NO_TEXT);
    run.out += print(given, run, position);
    if (run.out.length > MAX_OUTPUT) throw outputTooLarge();
  };
}

export function sequence(writes: Write[]): Write {
  if (writes.length === 1) return writes[0]!;
  return (run) => {
    for (const write of writes) write(run);
  };
}
