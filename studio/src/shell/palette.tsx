import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { ClockIcon, DotFilledIcon, MagnifyingGlassIcon, PlusIcon } from '@radix-ui/react-icons';
import { type ComponentType, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { type Command, useAllCommands } from './commands';
import { useFound } from './find';
import { PLACES } from './places';
import { readRecent } from './recent';
import styles from './shell.module.css';

interface Entry extends Command {
  /** Results of the services match without comparing words. */
  isFound?: true;
}

/** Command palette: objects of the services, recent pages, and actions. */
export function Palette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={styles.palette} aria-label="Find anything">
          <Finder onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands();
  const [text, setText] = useState('');
  const found = useFound(text);
  const [, navigate] = useLocation();
  const entries = useMemo<Entry[]>(() => {
    const recent = text ? [] : readRecent().slice(1); // the first is here
    return [
      ...found.map(({ group, word, path }): Entry => ({
        id: `found ${path}`,
        group,
        word,
        run: () => navigate(path),
        isFound: true,
      })),
      ...recent.map(({ path, word }): Entry => ({ id: `recent ${path}`, group: 'Recent', word, run: () => navigate(path) })),
      ...commands,
    ];
  }, [text, found, commands, navigate]);
  const run = (entry: Entry) => {
    onClose();
    entry.run();
  };
  return (
    <Autocomplete.Root
      open
      inline
      items={entries}
      value={text}
      onValueChange={setText}
      filter={fits}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={({ word, group }: Entry) => `${word} ${group}`}
    >
      <Autocomplete.Input
        className={styles.paletteInput}
        placeholder="Find files, templates, emails, documents, commands…"
        aria-label="Find anything"
      />
      <Autocomplete.Empty className={`muted ${styles.paletteEmpty}`}>Nothing found.</Autocomplete.Empty>
      <Autocomplete.List className={styles.paletteList}>
        {(entry: Entry) => {
          const Icon = iconOf(entry);
          return (
            <Autocomplete.Item key={entry.id} value={entry} className="item" onClick={() => run(entry)}>
              <Icon aria-hidden />
              <span className="grow truncate">{entry.word}</span>
              <span className="muted small">{entry.group}</span>
              {entry.keys && <kbd className="kbd">{entry.keys}</kbd>}
            </Autocomplete.Item>
          );
        }}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

/** Returns whether an entry contains all typed words. */
const fits = ({ word, group, isFound }: Entry, typed: string): boolean => {
  const text = `${word} ${group}`.toLowerCase();
  return (
    isFound === true ||
    typed
      .toLowerCase()
      .split(/\s+/)
      .every((one) => text.includes(one))
  );
};

/** List page of each group of results. */
const PAGES: Readonly<Record<string, string>> = {
  Files: '/files',
  Templates: '/templates',
  Documents: '/log',
  Emails: '/email',
  Recipients: '/push',
  Tenants: '/tenants',
};

function iconOf({ id, group }: Entry): ComponentType<{ 'aria-hidden'?: boolean }> {
  if (group === 'Recent') return ClockIcon;
  if (group === 'Create') return PlusIcon;
  if (group === 'Show') return MagnifyingGlassIcon;
  const path = PAGES[group] ?? (id.startsWith('go ') ? id.slice(3) : undefined);
  return PLACES.find((place) => place.path === path)?.Icon ?? DotFilledIcon;
}
