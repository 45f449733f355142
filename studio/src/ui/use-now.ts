import { useEffect, useState } from 'react';

const MINUTE_MS = 60_000;

/** Returns the current time in milliseconds, updated at each step. */
export function useNow(stepMs = MINUTE_MS): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), stepMs);
    return () => clearInterval(timer);
  }, [stepMs]);
  return now;
}
