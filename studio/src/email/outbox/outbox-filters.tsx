import { useState } from 'react';
import type { EmailStatus } from '../../../../clients/js/src/generated/email';
import { Button } from '../../ui/controls';
import { fromField, toField } from '../../ui/local-time';
import { Chip, FilterField } from '../../ui/page';
import { NO_FILTER, type OutboxFilter } from '../mails';
import { MAIL_WORDS, SCHEDULED } from '../words';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const STATUSES = Object.entries(MAIL_WORDS) as [EmailStatus, (typeof MAIL_WORDS)[EmailStatus]][];

/** Whether the recipient to look for is only begun. The service finds whole addresses. */
export const isBegun = (to: string | undefined): boolean => to !== undefined && !/^[^@\s]+@[^@\s]+$/.test(to);

export const isFiltered = (filter: OutboxFilter): boolean => Object.values(filter).some(Boolean);

interface FiltersProps {
  filter: OutboxFilter;
  onChange: (changes: OutboxFilter) => void;
}

/** State, recipient or id, time and tag of the mails to show. */
export function OutboxFilters({ filter, onChange }: FiltersProps) {
  const find = (text: string) => {
    const sought = text.trim() || undefined;
    onChange(sought && ID.test(sought) ? { id: sought.toLowerCase(), to: undefined } : { id: undefined, to: sought });
  };
  const [isOpen, setOpen] = useState(false);
  const isTimed = isOpen || Boolean(filter.from ?? filter.until);
  const changeTimed = () => {
    setOpen(!isTimed);
    if (isTimed) onChange({ from: undefined, until: undefined });
  };
  const [isTagOpen, setTagOpen] = useState(false);
  const isTagged = isTagOpen || Boolean(filter.tag ?? filter.tagValue);
  const changeTagged = () => {
    setTagOpen(!isTagged);
    if (isTagged) onChange({ tag: undefined, tagValue: undefined });
  };
  return (
    <div className="filters">
      <Chip isActive={!filter.status && !filter.scheduled} onClick={() => onChange({ status: undefined, scheduled: undefined })}>
        All
      </Chip>
      {STATUSES.map(([status, { word }]) => (
        <Chip
          key={status}
          isActive={filter.status === status}
          onClick={() => onChange({ status: filter.status === status ? undefined : status, scheduled: undefined })}
        >
          {word}
        </Chip>
      ))}
      <Chip
        isActive={Boolean(filter.scheduled)}
        onClick={() => onChange({ scheduled: filter.scheduled ? undefined : 'true', status: undefined })}
      >
        {SCHEDULED.word}
      </Chip>
      <FilterField label="Recipient or message id" isMain value={filter.id ?? filter.to ?? ''} onChange={find} />
      <Chip isActive={isTimed} onClick={changeTimed}>
        Time
      </Chip>
      {isTimed && (
        <>
          <MomentFilter word="From" value={filter.from} onChange={(from) => onChange({ from })} />
          <MomentFilter word="Until" value={filter.until} onChange={(until) => onChange({ until })} />
        </>
      )}
      <Chip isActive={isTagged} onClick={changeTagged}>
        Tag
      </Chip>
      {isTagged && (
        <span className="email-tag">
          <FilterField label="Tag name" value={filter.tag ?? ''} onChange={(tag) => onChange({ tag })} />
          <FilterField label="Tag value, whole" value={filter.tagValue ?? ''} onChange={(tagValue) => onChange({ tagValue })} />
        </span>
      )}
      {isFiltered(filter) && (
        <Button size="small" look="plain" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
    </div>
  );
}

/** A moment on the clock of the reader; the address holds it in UTC, so that it means the same to a colleague elsewhere. */
function MomentFilter({
  word,
  value,
  onChange,
}: {
  word: string;
  value: string | undefined;
  onChange: (at: string | undefined) => void;
}) {
  return (
    <span className="email-moment">
      <span aria-hidden className="muted small">
        {word}
      </span>
      <FilterField
        label={`Accepted ${word.toLowerCase()}`}
        type="datetime-local"
        value={toField(value, 'minute')}
        onChange={(local) => onChange(fromField(local))}
      />
    </span>
  );
}
