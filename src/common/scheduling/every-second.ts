const EVERY_MS = 1_000;
const works = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls a function every second until the returned function is called. All callers share one timer, so that an idle process wakes
 * up once a second.
 */
export function everySecond(work: () => void): () => void {
  works.add(work);
  timer ??= setInterval(() => works.forEach((each) => each()), EVERY_MS).unref();
  return () => {
    works.delete(work);
    if (works.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
