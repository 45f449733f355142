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

/** Works on the items one after the other; everything else has its turn after so many of them. */
export async function inSlices<T, R>(items: readonly T[], length: number, work: (item: T, index: number) => R): Promise<R[]> {
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % length === 0) await ownTurn();
    done.push(work(item, index));
  }
  return done;
}
