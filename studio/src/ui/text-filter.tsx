import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi, useDescription } from '../api/api-context';
import type { Api } from '../api/client';
import { missingEntry, type Right } from '../api/scope';
import { Button, TextField } from './controls';

/** How many values are offered at once. */
const MOST = 100;

/** The values that a filter has in what is stored. */
export interface Offered {
  right: Right;
  /** Begins with the service, as every key. */
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

/** A text that is compared as a whole: typed, or one of the values that there are. */
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

/** The values that contain what was typed; where there are too many to read them all, those that begin so. */
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
