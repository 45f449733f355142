import { Popover } from '@base-ui/react/popover';
import { Cross2Icon, MixerHorizontalIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Field } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { fromField, toField } from '../../ui/local-time';
import { type Change, type Filters, isTime } from '../model/filters';

/** The filters that are not always in sight, with the words of their chips. */
const MORE: readonly { name: string; label: string; chip: (value: string) => string; isTime?: true }[] = [
  { name: 'topic', label: 'Topic, whole', chip: (value) => `Topic ${value}` },
  { name: 'global', label: 'Id of a global message', chip: (value) => `Part of global message ${value.slice(0, 13)}…` },
  { name: 'from', label: 'Pushed from', chip: (value) => `Pushed from ${timeWords(value)}`, isTime: true },
  { name: 'to', label: 'Pushed until', chip: (value) => `Pushed until ${timeWords(value)}`, isTime: true },
  { name: 'expiresFrom', label: 'Expires from', chip: (value) => `Expires from ${timeWords(value)}`, isTime: true },
  { name: 'expiresTo', label: 'Expires until', chip: (value) => `Expires until ${timeWords(value)}`, isTime: true },
];

const timeWords = (text: string) => (isTime(text) ? formatTime(text) : text);

export const GLOBAL_FILTERS = ['from', 'to', 'expiresFrom', 'expiresTo'];
/** All of them, for a list of messages to named recipients. */
export const ALL_FILTERS: readonly string[] = MORE.map(({ name }) => name);

/** A button that opens the filters of these names, and a chip for each one that is set. */
export function MoreFilters({ names, filters, change }: { names: readonly string[]; filters: Filters; change: Change }) {
  const offered = MORE.filter(({ name }) => names.includes(name));
  const set = offered.filter(({ name }) => filters[name]);
  return (
    <>
      <Popover.Root>
        <Popover.Trigger
          render={
            <button type="button" className="chip">
              <MixerHorizontalIcon aria-hidden />
              More filters
            </button>
          }
        />
        <Popover.Portal>
          <Popover.Positioner className="popup-place" sideOffset={4} align="start">
            <Popover.Popup className="popup push-filters" aria-label="More filters">
              {offered.map(({ name, label, isTime: hasTime }) => (
                <Field key={name} label={label}>
                  {(ids) =>
                    hasTime ? (
                      <TimeField id={ids.id} value={filters[name]} onChange={(value) => change({ [name]: value })} />
                    ) : (
                      <TextField id={ids.id} value={filters[name] ?? ''} onChange={(value) => change({ [name]: value })} />
                    )
                  }
                </Field>
              ))}
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {set.map(({ name, chip }) => (
        <button
          key={name}
          type="button"
          className="chip active push-set"
          aria-label={`Remove the filter: ${chip(filters[name]!)}`}
          onClick={() => change({ [name]: undefined })}
        >
          <span className="truncate">{chip(filters[name]!)}</span>
          <Cross2Icon aria-hidden />
        </button>
      ))}
    </>
  );
}

/** A text that takes effect when Enter is pressed or the field is left. */
function TextField({ id, value, onChange }: { id: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const enter = () => text !== value && onChange(text);
  return (
    <input
      id={id}
      className="input"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={enter}
      onKeyDown={({ key }) => key === 'Enter' && enter()}
    />
  );
}

function TimeField({
  id,
  value,
  onChange,
}: {
  id: string;
  value: string | undefined;
  onChange: (at: string | undefined) => void;
}) {
  return (
    <input
      id={id}
      className="input"
      type="datetime-local"
      value={toField(value, 'minute')}
      onChange={({ target }) => onChange(fromField(target.value))}
    />
  );
}
