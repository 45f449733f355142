import { createContext, useContext } from 'react';

/** Initial values of the form. */
export interface Draft {
  to: 'named' | 'everyone';
  recipients: readonly string[];
  topic: string;
  message: string;
  wait: Wait;
}

export type Wait = 'none' | 'minute' | 'hour' | 'day' | 'own';

export const EMPTY_DRAFT: Draft = { to: 'named', recipients: [], topic: '', message: '', wait: 'none' };

const MINUTE_MS = 60_000;
export const WAITS: readonly { wait: Wait; word: string; ms: number }[] = [
  { wait: 'none', word: 'Don’t wait', ms: 0 },
  { wait: 'minute', word: '1 minute', ms: MINUTE_MS },
  { wait: 'hour', word: '1 hour', ms: 60 * MINUTE_MS },
  { wait: 'day', word: '1 day', ms: 24 * 60 * MINUTE_MS },
  { wait: 'own', word: 'Until…', ms: 0 },
];

/** Returns the choice closest to the earlier lifetime of a message. */
export function waitLike({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }): Wait {
  if (!expiresAt) return 'none';
  const ms = new Date(expiresAt).getTime() - new Date(createdAt).getTime();
  const distance = (choice: { ms: number }) => Math.abs(Math.log(choice.ms / ms));
  return WAITS.filter((choice) => choice.ms > 0).sort((a, b) => distance(a) - distance(b))[0]!.wait;
}

/** Opens the form with a draft. */
export const PushContext = createContext<(draft: Partial<Draft>) => void>(() => undefined);
export const useStartPush = (): ((draft: Partial<Draft>) => void) => useContext(PushContext);
