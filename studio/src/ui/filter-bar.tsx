import { Menu } from '@base-ui/react/menu';
import { Popover } from '@base-ui/react/popover';
import { CaretDownIcon, CheckIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { Button } from './controls';
import { formatCount } from './format';
import { ListMenu } from './list-tools';
import { Chip, FilterField } from './page';
import { type Offered, TextForm } from './text-filter';
import { TimeForm, timeInWords } from './time-filter';
import { useFilters } from './use-search';

type Values = Readonly<Record<string, string>>;
type Changes = Record<string, string | undefined>;

/** One of some values. */
interface ChoiceFilter {
  kind: 'choice';
  name: string;
  word: string;
  values: readonly (readonly [value: string, word: string])[];
  /** Set if the value is more than one URL parameter. */
  read?: (values: Values) => string | undefined;
  write?: (value: string | undefined) => Changes;
  /** Its other URL parameters. */
  also?: readonly string[];
}

/** A text that must match as a whole. */
interface TextFilter {
  kind: 'text';
  name: string;
  word: string;
  hint?: string;
  offered?: Offered;
}

/** A time range. The URL has it in UTC, so that it means the same elsewhere. */
interface TimeFilter {
  kind: 'time';
  word: string;
  from: string;
  to: string;
}

/** A switch. */
interface FlagFilter {
  kind: 'flag';
  name: string;
  word: string;
}

/** A rare filter is shown once it is chosen from the menu at the end, or has a value. */
export type Filter = (ChoiceFilter | TextFilter | TimeFilter | FlagFilter) & { isRare?: boolean };

interface FilterBarProps {
  /** What is typed first. */
  search?: {
    name: string;
    label: string;
    known?: readonly string[];
    read?: (values: Values) => string | undefined;
    write?: (text: string) => Changes;
  };
  filters?: readonly Filter[];
  /** Items of the list, for the count. */
  list?: { items: readonly unknown[]; hasMore: boolean; isLoading: boolean };
  /** Singular and plural of the items, such as `email` and `emails`. */
  counted?: readonly [one: string, many: string];
  /** At the end of the bar. */
  children?: ReactNode;
}

/** Filters of a list, all in the URL: the search text, then those with choices, and the count. */
export function FilterBar({ search, filters = [], list, counted, children }: FilterBarProps) {
  const [values, change] = useFilters();
  const [cleared, setCleared] = useState(0);
  const [added, setAdded] = useState<readonly string[]>([]);
  const names = namesOf(search, filters);
  const isFiltered = names.some((name) => values[name]);
  const isShown = (filter: Filter) =>
    !filter.isRare || added.includes(filter.word) || namesOf(undefined, [filter]).some((name) => values[name]);
  const clear = () => {
    setAdded([]);
    change(Object.fromEntries(names.map((name) => [name, undefined])));
    setCleared((times) => times + 1); // forgets what was typed a moment ago
  };
  return (
    <div className="filters" key={cleared}>
      {search && (
        <FilterField
          isMain
          label={search.label}
          known={search.known}
          value={(search.read ? search.read(values) : values[search.name]) ?? ''}
          onChange={(text) => change(search.write ? search.write(text) : { [search.name]: text })}
        />
      )}
      {filters.filter(isShown).map((filter) => (
        <One key={filter.word} filter={filter} values={values} change={change} startsOpen={added.at(-1) === filter.word} />
      ))}
      <MoreFilters filters={filters.filter((filter) => !isShown(filter))} onAdd={(word) => setAdded([...added, word])} />
      {isFiltered && (
        <Button size="small" look="plain" onClick={clear}>
          Clear filters
        </Button>
      )}
      <span className="grow" />
      {list && counted && list.items.length > 0 && (
        <span className="muted small" role="status">
          {formatCount(list.items.length)}
          {list.hasMore && '+'} {list.items.length === 1 && !list.hasMore ? counted[0] : counted[1]}
        </span>
      )}
      {children}
      <ListMenu />
    </div>
  );
}

/** Returns every URL parameter of the filters. */
function namesOf(search: FilterBarProps['search'], filters: readonly Filter[]): string[] {
  const ofFilters = filters.flatMap((filter) => {
    if (filter.kind === 'time') return [filter.from, filter.to];
    return filter.kind === 'choice' ? [filter.name, ...(filter.also ?? [])] : [filter.name];
  });
  const written = search?.write ? Object.keys(search.write('')) : [];
  return [...new Set([...(search ? [search.name] : []), ...written, ...ofFilters])];
}

interface OneProps<F> {
  filter: F;
  values: Values;
  change: (changes: Changes) => void;
  startsOpen: boolean;
}

function One({ filter, values, change, startsOpen }: OneProps<Filter>) {
  if (filter.kind === 'choice') return <ChoiceChip filter={filter} values={values} change={change} startsOpen={startsOpen} />;
  if (filter.kind === 'flag') {
    const isOn = Boolean(values[filter.name]);
    return (
      <Chip isActive={isOn} onClick={() => change({ [filter.name]: isOn ? undefined : 'true' })}>
        {filter.word}
      </Chip>
    );
  }
  if (filter.kind === 'text') {
    return (
      <PopoverChip word={filter.word} value={values[filter.name]} startsOpen={startsOpen}>
        {(close) => (
          <TextForm
            word={filter.word}
            hint={filter.hint}
            offered={filter.offered}
            value={values[filter.name] ?? ''}
            onApply={(text) => {
              change({ [filter.name]: text });
              close();
            }}
          />
        )}
      </PopoverChip>
    );
  }
  return (
    <PopoverChip word={filter.word} startsOpen={startsOpen} value={timeInWords(values[filter.from], values[filter.to])}>
      {(close) => <TimeForm from={filter.from} to={filter.to} values={values} change={change} onClose={close} />}
    </PopoverChip>
  );
}

const chipWord = (word: string, value: string | undefined) => (
  <>
    <span className="truncate">{value ? `${word}: ${value}` : word}</span>
    <CaretDownIcon aria-hidden />
  </>
);

function ChoiceChip({ filter, values, change, startsOpen }: OneProps<ChoiceFilter>) {
  const { name, word, read, write } = filter;
  const value = read ? read(values) : values[name];
  const chosen = filter.values.find(([one]) => one === value);
  const choose = (next: string) => change(write ? write(next || undefined) : { [name]: next });
  return (
    <Menu.Root defaultOpen={startsOpen}>
      <Menu.Trigger className={chosen ? 'chip active' : 'chip'}>{chipWord(word, chosen?.[1])}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="popup-place" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.RadioGroup value={chosen?.[0] ?? ''} onValueChange={(next) => choose(String(next))}>
              {[['', 'Any'] as const, ...filter.values].map(([one, words]) => (
                <Menu.RadioItem key={one} value={one} className="item" closeOnClick>
                  <span className="grow">{words}</span>
                  <Menu.RadioItemIndicator>
                    <CheckIcon aria-hidden />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Menu of rare filters. A chosen one opens in the bar. */
function MoreFilters({ filters, onAdd }: { filters: readonly Filter[]; onAdd: (word: string) => void }) {
  if (filters.length === 0) return null;
  return (
    <Menu.Root>
      <Menu.Trigger className="chip">
        More filters
        <CaretDownIcon aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="popup-place" sideOffset={4} align="start">
          <Menu.Popup className="popup" finalFocus={false}>
            {filters.map(({ word }) => (
              <Menu.Item key={word} className="item" onClick={() => onAdd(word)}>
                {word}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface PopoverChipProps {
  word: string;
  value: string | undefined;
  startsOpen: boolean;
  children: (close: () => void) => ReactNode;
}

function PopoverChip({ word, value, startsOpen, children }: PopoverChipProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={value ? 'chip active' : 'chip'}>{chipWord(word, value)}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="popup-place" sideOffset={4} align="start">
          <Popover.Popup className="popup filter-popup" aria-label={`Filter: ${word}`}>
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
