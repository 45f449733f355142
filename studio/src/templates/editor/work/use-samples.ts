import { useCallback, useMemo, useState } from 'react';
import { parseParams, type Params } from '../../model/samples';
import type { Saved } from '../../model/template';

const nameOf = (id: string) => `studio-template-sample:${id}`;

/** Returns the sample data of a template: from this browser, else from the template. */
export function useSamples({ id, sampleParams }: Pick<Saved, 'id' | 'sampleParams'>) {
  const [text, setText] = useState(() => localStorage.getItem(nameOf(id)) ?? (sampleParams || '{}'));
  const parsed = useMemo(() => parseParams(text), [text]);
  const [lastGood, setLastGood] = useState<Params>({});
  const params = 'params' in parsed ? parsed.params : lastGood;
  if (params !== lastGood) setLastGood(params);
  const change = useCallback(
    (next: string) => {
      setText(next);
      keepSample(id, next);
    },
    [id],
  );
  return { text, parsed, params, change };
}

/** Stores sample data in this browser, if there is room. */
export function keepSample(id: string, text: string): void {
  try {
    localStorage.setItem(nameOf(id), text);
  } catch {
    localStorage.removeItem(nameOf(id));
  }
}

export const forgetSample = (id: string): void => localStorage.removeItem(nameOf(id));
