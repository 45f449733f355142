import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useDescription } from '../api/api-context';
import type { Api } from '../api/client';
import { missingEntry, type Right } from '../api/scope';
import { Button, TextField } from './controls';

/** Maximum number of suggestions. */
const MOST = 100;

/** Stored values of a filter. */
export interface Offered {
  right: Right;
  /** Query key, starting with the service. */
  queryKey: QueryKey;
  read: (api: Api, wanted: { startsWith: string; limit: number }, signal: AbortSignal) => Promise<readonly string[]>;
}

interface TextFormProps {
  word: string;
  hint?: string | undefined;
  offered?: Offered | undefined;
  value: string;
  onApply: (text: string | undefined) => void;
}

/** A text that must match as a whole: typed, or an existing value. */
export function TextForm({ word, hint, offered, value, onApply }: TextFormProps) {
  const [text, setText] = useState(value);
  const values = useOffered(offered, text === value ? '' : text.trim());
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onApply(text.trim() || undefined);
  };
  return (
    <form className="stack tight" onSubmit={apply}>
      <TextField label={`${word} is`} hint={hint} value={text} onChange={setText} />
      {values.length > 0 && (
        <ul className="offered" aria-label={`${word} values`}>
          {values.map((one) => (
            <li key={one}>
              <button type="button" className="item" aria-pressed={one === value} onClick={() => onApply(one)}>
                <span className="truncate">{one}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button type="submit" size="small" look="primary">
          Apply
        </Button>
        {value && (
          <Button size="small" look="plain" onClick={() => onApply(undefined)}>
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}

/** Values that contain the typed text; if there are too many to load, those that start with it. */
function useOffered(offered: Offered | undefined, typed: string): readonly string[] {
  const api = useApi();
  const { scope } = useDescription();
  const isEnabled = offered !== undefined && missingEntry(scope, offered.right) === undefined;
  const asked = (startsWith: string) => ({
    queryKey: [...(offered?.queryKey ?? []), startsWith],
    queryFn: ({ signal }: { signal: AbortSignal }) => offered!.read(api, { startsWith, limit: MOST }, signal),
  });
  const all = useQuery({ ...asked(''), enabled: isEnabled });
  const isWhole = (all.data?.length ?? MOST) < MOST;
  const begun = useQuery({
    ...asked(typed),
    enabled: isEnabled && !isWhole && typed !== '',
    placeholderData: (before) => before,
  });
  if (!isEnabled) return [];
  if (typed === '') return all.data ?? [];
  if (!isWhole) return begun.data ?? [];
  return all.data!.filter((one) => one.toLowerCase().includes(typed.toLowerCase()));
}
