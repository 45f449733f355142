import { useState } from 'react';
import { Chip, FilterField } from '../../ui/page';
import { STATES } from '../model/file-record';

interface FileFiltersProps {
  filters: Readonly<Record<string, string>>;
  onChange: (changes: Record<string, string | undefined>) => void;
  mayReadFolders: boolean;
}

/** Filters of the files below the open folder. */
export function FileFilters({ filters, onChange, mayReadFolders }: FileFiltersProps) {
  const { name = '', status, from = '', to = '', below } = filters;
  const [hasDates, setDates] = useState(Boolean(from || to));
  // A filter looks through all that is below the open folder anyway.
  const isFiltered = Boolean(name || status || from || to);
  const toggleDates = () => {
    if (hasDates) onChange({ from: undefined, to: undefined });
    setDates(!hasDates);
  };
  return (
    <div className="filters">
      <FilterField label="Name begins with, or id" isMain value={name} onChange={(text) => onChange({ name: text })} />
      {STATES.map((state) => (
        <Chip
          key={state.status}
          isActive={status === state.status}
          onClick={() => onChange({ status: status === state.status ? undefined : state.status })}
        >
          {state.word}
        </Chip>
      ))}
      <span className="divider" />
      <Chip isActive={hasDates} onClick={toggleDates}>
        Created
      </Chip>
      {hasDates && (
        <span className="row dates small">
          <span aria-hidden>from</span>
          <FilterField label="Created from" type="date" value={from} onChange={(day) => onChange({ from: day })} />
          <span aria-hidden>to</span>
          <FilterField label="Created to" type="date" value={to} onChange={(day) => onChange({ to: day })} />
        </span>
      )}
      {mayReadFolders && !isFiltered && (
        <Chip isActive={Boolean(below)} onClick={() => onChange({ below: below ? undefined : '1' })}>
          With subfolders
        </Chip>
      )}
      {isFiltered && (
        <button
          type="button"
          className="button plain small"
          onClick={() => {
            setDates(false);
            onChange({ name: undefined, status: undefined, from: undefined, to: undefined });
          }}
        >
          Clear
        </button>
      )}
    </div>
  );
}
