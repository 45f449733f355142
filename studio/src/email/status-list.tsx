import { Chip, FilterField } from '../ui/page';
import { Status, type StatusKind, Time } from '../ui/status';
import { useFilters } from '../ui/use-search';

type Words = Readonly<Record<string, { kind: StatusKind; word: string }>>;

/** Filters of a list by the status and the name of its items; they stand in the address. */
export function StatusFilters({ words, name, label }: { words: Words; name: string; label: string }) {
  const [filters, change] = useFilters();
  const { status } = filters;
  return (
    <div className="filters">
      <Chip isActive={!status} onClick={() => change({ status: undefined })}>
        All
      </Chip>
      {Object.entries(words).map(([one, { word }]) => (
        <Chip key={one} isActive={status === one} onClick={() => change({ status: status === one ? undefined : one })}>
          {word}
        </Chip>
      ))}
      <FilterField label={label} isMain value={filters[name] ?? ''} onChange={(next) => change({ [name]: next })} />
    </div>
  );
}

interface RowProps {
  status: { kind: StatusKind; word: string } | undefined;
  name: string;
  /** What is wrong. */
  reason?: string | undefined;
  at: string | null;
}

/** An address or a domain in its list. */
export function StatusRow({ status, name, reason, at }: RowProps) {
  return (
    <span className="mail-row sender">
      <span className="mail-status">{status && <Status {...status} />}</span>
      <span className="mail-subject">
        <span className="truncate" title={name}>
          {name}
        </span>
        {reason && (
          <span className={status?.kind === 'bad' ? 'mail-reason truncate' : 'mail-reason wait truncate'} title={reason}>
            {reason}
          </span>
        )}
      </span>
      <span className="mail-time">{at && <Time at={at} />}</span>
    </span>
  );
}
