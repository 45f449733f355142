import { type FormEvent, useState } from 'react';
import { Button, Field, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import type { FileRecord } from '../model/file-record';
import { useChange } from './edit/use-change';

const USUAL = 'no-cache';
const CHOICES: readonly (readonly [value: string, word: string])[] = [
  [USUAL, 'Revalidate each time'],
  ['public, max-age=3600', '1 hour'],
  ['public, max-age=86400', '1 day'],
  ['public, max-age=31536000, immutable', '1 year, immutable'],
];

/** How long browsers and CDNs may cache a public file. */
export function CacheControl({ file, refusal }: { file: FileRecord; refusal: string | undefined }) {
  const current = file.cacheControl ?? USUAL;
  const [value, setValue] = useState(current);
  const [isOwn, setOwn] = useState(!CHOICES.some(([choice]) => choice === current));
  const change = useChange(file.id ?? '');
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ cacheControl: value || null });
  };
  const choose = (choice: string) => {
    setOwn(choice === '');
    if (choice) setValue(choice);
  };
  return (
    <form className="stack tight" onSubmit={save}>
      <Field label="Browser and CDN cache" hint="Cached copies stay this long, even after the file is replaced or deleted.">
        {(ids) => (
          <select
            {...ids}
            className="input"
            disabled={Boolean(refusal)}
            value={isOwn ? '' : value}
            onChange={({ target }) => choose(target.value)}
          >
            {CHOICES.map(([choice, word]) => (
              <option key={choice} value={choice}>
                {word}
              </option>
            ))}
            <option value="">Other</option>
          </select>
        )}
      </Field>
      {isOwn && (
        <TextField
          label="Cache-Control"
          className="mono"
          value={value}
          maxLength={256}
          readOnly={Boolean(refusal)}
          onChange={setValue}
        />
      )}
      {change.error && <ErrorNotice error={change.error} tried="change the cache setting" />}
      {value !== current && (
        <span>
          <Button type="submit" size="small" look="primary" disabled={change.isPending} refusal={refusal}>
            Save
          </Button>
        </span>
      )}
    </form>
  );
}
