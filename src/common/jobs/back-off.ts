/** Bounds of an exponential back-off, in milliseconds. */
interface Bounds {
  first: number;
  longest: number;
}

/** Returns the pause before the next attempt. It doubles with each failure in a row, starting from 0 failures. */
export const backOffMs = (failures: number, { first, longest }: Bounds): number =>
  Math.min(first * 2 ** Math.min(failures, 30), longest);
