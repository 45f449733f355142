/** What may be read before the event loop gets a turn: SQLite holds up everything else meanwhile. */
const STEP_BYTES = 8 * 1024 * 1024;

let readBytes = 0;
let last: Promise<void> = Promise.resolve();

/** Notes what was read, or is about to be. */
export function noteRead(bytes: number): void {
  if (readBytes === 0 && bytes > 0) setImmediate(() => (readBytes = 0));
  readBytes += bytes;
}

/** Whether enough was read since everything else last had a turn. */
export const isTurnOver = (): boolean => readBytes > STEP_BYTES;

/** Waits for a turn of the event loop that is nobody else's who waits here. */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => void setImmediate(resolve)));
  return last;
}
