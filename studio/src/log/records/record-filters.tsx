import { Popover } from '@base-ui/react/popover';
import { CheckIcon, Cross2Icon, DownloadIcon } from '@radix-ui/react-icons';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Field, IconButton, TextField } from '../../ui/controls';
import { Chip, FilterField } from '../../ui/page';
import { isFiltered, NO_FILTERS, orderOf, TEXT_FILTERS, timeInWords } from '../data/filters';
import { fromField, toField } from '../../ui/local-time';

interface FiltersProps {
  search: Readonly<Record<string, string>>;
  change: (changes: Record<string, string | undefined>) => void;
  onExport: () => void;
}

const DAY_MS = 86_400_000;

/** Every filter of the records, the order, and the way out of them: an export. */
export function RecordFilters({ search, change, onExport }: FiltersProps) {
  const isWritten = orderOf(search) === 'WRITTEN';
  return (
    <div className="filters log-bar">
      <div className="log-filters">
        <FilterField
          label="Document id"
          isMain
          value={search['documentId'] ?? ''}
          onChange={(documentId) => change({ documentId })}
        />
        {TEXT_FILTERS.map(({ name, word, hint }) => (
          <ChipField key={name} word={word} value={search[name]}>
            {(close) => (
              <TextForm
                word={word}
                hint={hint}
                value={search[name] ?? ''}
                onApply={(value) => {
                  change({ [name]: value });
                  close();
                }}
              />
            )}
          </ChipField>
        ))}
        <ChipField word="Time" value={timeInWords(search)}>
          {(close) => (
            <TimeForm
              search={search}
              onApply={(times) => {
                change(times);
                close();
              }}
            />
          )}
        </ChipField>
        <Chip isActive={isWritten} onClick={() => change({ order: isWritten ? undefined : 'written' })}>
          {isWritten && <CheckIcon aria-hidden />}
          In order of writing
        </Chip>
        {isFiltered(search) && (
          <IconButton label="Clear all" size="small" look="plain" onClick={() => change(NO_FILTERS)}>
            <Cross2Icon aria-hidden />
          </IconButton>
        )}
      </div>
      <Button size="small" onClick={onExport}>
        <DownloadIcon aria-hidden />
        Export
      </Button>
    </div>
  );
}

interface ChipFieldProps {
  word: string;
  value: string | undefined;
  children: (close: () => void) => ReactNode;
}

/** A chip that shows what a filter is set to, and opens a small form for it. */
function ChipField({ word, value, children }: ChipFieldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={value ? 'chip active' : 'chip'}>
        {value ? (
          <span className="log-chip truncate">
            {word}: {value}
          </span>
        ) : (
          word
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-place" sideOffset={4} align="start">
          <Popover.Popup className="popup log-popup" aria-label={`Filter: ${word}`}>
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface TextFormProps {
  word: string;
  hint: string;
  value: string;
  onApply: (value: string | undefined) => void;
}

function TextForm({ word, hint, value, onApply }: TextFormProps) {
  const [text, setText] = useState(value);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onApply(text.trim() || undefined);
  };
  return (
    <form className="stack tight" onSubmit={apply}>
      <Field label={`${word} is`} hint={hint}>
        {(ids) => <input {...ids} className="input" value={text} onChange={({ target }) => setText(target.value)} />}
      </Field>
      <Ends onClear={value ? () => onApply(undefined) : undefined} />
    </form>
  );
}

interface TimeFormProps {
  search: Readonly<Record<string, string>>;
  onApply: (times: { from: string | undefined; to: string | undefined }) => void;
}

function TimeForm({ search, onApply }: TimeFormProps) {
  const [from, setFrom] = useState(() => toField(search['from']));
  const [to, setTo] = useState(() => toField(search['to']));
  const isReversed = Boolean(from && to && from > to);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    if (!isReversed) onApply({ from: fromField(from), to: fromField(to) });
  };
  const last = (days: number) => onApply({ from: new Date(Date.now() - days * DAY_MS).toISOString(), to: undefined });
  return (
    <form className="stack tight" onSubmit={apply}>
      <div className="row wrap">
        {([1, 7, 30] as const).map((days) => (
          <Button key={days} size="small" onClick={() => last(days)}>
            {days === 1 ? 'Last 24 hours' : `Last ${days} days`}
          </Button>
        ))}
      </div>
      <TextField label="From" type="datetime-local" step={1} value={from} onChange={setFrom} />
      <TextField
        label="To"
        fault={isReversed ? 'This is before the beginning. Choose a later time.' : undefined}
        type="datetime-local"
        step={1}
        value={to}
        onChange={setTo}
      />
      <Ends onClear={search['from'] || search['to'] ? () => onApply({ from: undefined, to: undefined }) : undefined} />
    </form>
  );
}

function Ends({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <div className="row">
      <Button type="submit" size="small" look="primary">
        Apply
      </Button>
      {onClear && (
        <Button size="small" look="plain" onClick={onClear}>
          Clear
        </Button>
      )}
    </div>
  );
}
