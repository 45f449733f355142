import { Menu } from '@base-ui/react/menu';
import { CheckIcon, MixerHorizontalIcon } from '@radix-ui/react-icons';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { IconButton } from './controls';
import { CsvDialog } from './csv-dialog';
import { useSetting } from './kept';
import type { Column } from './records';
import { useViews, ViewsDialog } from './saved-views';
import type { ReadAll } from './use-pages';

/** Columns shown or hidden by choice, by their header. */
type Chosen = Readonly<Record<string, boolean>>;

interface ListTools {
  label: string;
  /** Headers of columns that can be hidden. */
  optional: readonly string[];
  chosen: Chosen;
  choose: (chosen: Chosen | undefined) => void;
  /** Exports the list, instead of reading it. */
  onExport: (() => void) | undefined;
  readAll: ReadAll<unknown>;
}

const Tools = createContext<ListTools | undefined>(undefined);

interface ListToolsOptions<T> extends Pick<ListTools, 'label' | 'onExport' | 'readAll'> {
  columns: readonly Column<T>[];
}

/** Returns the chosen columns of a list, and a provider of its tools for the filter bar. */
export function useListTools<T>({ label, columns, onExport, readAll }: ListToolsOptions<T>) {
  const [stored, choose] = useSetting<Chosen>(`studio-columns:${label}`);
  const chosen = useMemo<Chosen>(() => (typeof stored === 'object' ? (stored ?? {}) : {}), [stored]);
  const optional = columns.filter((column, at) => (column.line ? column.line !== 'who' : at > 0)).map(({ word }) => word);
  const shown = useMemo(
    () =>
      columns
        .filter(({ word }) => chosen[word] !== false)
        .map((column) => (chosen[column.word] ? { ...column, room: undefined } : column)),
    [columns, chosen],
  );
  const tools = { label, optional, chosen, choose, onExport, readAll };
  const provide = (children: ReactNode) => <Tools value={tools}>{children}</Tools>;
  return { columns: shown, provide };
}

/** Menu of the list below: its columns, saved views and CSV. Nothing outside a list page. */
export function ListMenu() {
  const tools = useContext(Tools);
  return tools && <ToolsMenu {...tools} />;
}

function ToolsMenu({ label, optional, chosen, choose, onExport, readAll }: ListTools) {
  const [dialog, setDialog] = useState<'view' | 'csv'>();
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [views, setViews] = useViews(label);
  const [, navigate] = useLocation();
  const toggle = (word: string, isShown: boolean) => {
    setShown((now) => (isShown ? new Set(now).add(word) : new Set([...now].filter((one) => one !== word))));
    choose({ ...chosen, [word]: isShown });
  };
  return (
    <>
      <Menu.Root onOpenChange={(isOpen) => isOpen && setShown(visibleHeads())}>
        <Menu.Trigger
          render={
            <IconButton label="List options" look="plain" size="small" className="list-menu">
              <MixerHorizontalIcon />
            </IconButton>
          }
        />
        <Menu.Portal>
          <Menu.Positioner className="popup-place" sideOffset={4} align="end">
            <Menu.Popup className="popup">
              {views.length > 0 && (
                <Menu.Group>
                  <Menu.GroupLabel className="group-label">Views</Menu.GroupLabel>
                  {views.map(({ name, search }) => (
                    <Menu.Item key={name} className="item" onClick={() => navigate(search ? `/?${search}` : '/')}>
                      <span className="truncate">{name}</span>
                    </Menu.Item>
                  ))}
                </Menu.Group>
              )}
              <Menu.Item className="item" onClick={() => setDialog('view')}>
                Save view
              </Menu.Item>
              <Menu.Item className="item" onClick={() => (onExport ? onExport() : setDialog('csv'))}>
                {onExport ? 'Export' : 'Download CSV'}
              </Menu.Item>
              <Menu.Group>
                <Menu.GroupLabel className="group-label">Columns</Menu.GroupLabel>
                {optional.map((word) => (
                  <Menu.CheckboxItem
                    key={word}
                    className="item"
                    checked={shown.has(word)}
                    onCheckedChange={(isShown) => toggle(word, isShown)}
                  >
                    <span className="grow">{word}</span>
                    <Menu.CheckboxItemIndicator>
                      <CheckIcon aria-hidden />
                    </Menu.CheckboxItemIndicator>
                  </Menu.CheckboxItem>
                ))}
              </Menu.Group>
              {Object.keys(chosen).length > 0 && (
                <Menu.Item className="item" onClick={() => choose(undefined)}>
                  Reset columns
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {dialog === 'view' && <ViewsDialog views={views} onChange={setViews} onClose={() => setDialog(undefined)} />}
      {dialog === 'csv' && <CsvDialog label={label} readAll={readAll} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/** Headers of the columns that have room. */
const visibleHeads = (): ReadonlySet<string> =>
  new Set(
    [...document.querySelectorAll<HTMLElement>('.records [role="columnheader"][data-word]')]
      .filter((head) => head.offsetParent !== null)
      .map((head) => head.dataset['word']!),
  );
