import { Menu } from '@base-ui/react/menu';
import { CheckIcon, MixerHorizontalIcon } from '@radix-ui/react-icons';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { Button, IconButton, Modal } from './controls';
import { useSetting } from './kept';
import type { Column } from './records';
import { useViews, ViewsDialog } from './saved-views';
import type { ReadAll } from './use-pages';
import { formatCount, plural } from './format';
import { useLongWork } from './long-work';
import { saveFile } from './save-file';
import { ErrorNotice } from './states';
import { WorkProgress } from './work-progress';
import { csvCell } from '../../../src/modules/document-log/export/log-csv';

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

interface CsvDialogProps {
  /** Name of the list, such as `Emails`. */
  label: string;
  readAll: ReadAll<unknown>;
  onClose: () => void;
}

/** Reads all matching items, page by page, and saves them as CSV. Closing the dialog stops it. */
function CsvDialog({ label, readAll, onClose }: CsvDialogProps) {
  const work = useLongWork();
  const [count, setCount] = useState(0);
  const [isCut, setCut] = useState(false);
  const run = () =>
    work.start(async (running) => {
      const { items, hasMore } = await readAll(running.signal, setCount, () => running.turn());
      if (running.isStopped) return;
      setCut(hasMore);
      saveFile(`${label.toLowerCase().replaceAll(' ', '-')}.csv`, [csvOf(items)], 'text/csv');
    });
  const begin = useEffectEvent(run);
  useEffect(() => begin(), []);
  const about = isCut ? `Saved the first ${formatCount(count)}. Narrow the filter for the others.` : plural(count, 'row');
  return (
    <Modal title={`Download ${label.toLowerCase()} as CSV`} isOpen onClose={onClose}>
      <WorkProgress
        label="Reading"
        share={work.state === 'done' ? 1 : work.isBusy ? undefined : 0}
        about={work.state === 'stopped' ? 'Stopped. Nothing was saved.' : about}
        state={work.state}
        onPause={work.pause}
        onResume={work.resume}
        onStop={work.stop}
      />
      {work.state === 'failed' && <ErrorNotice error={work.error} tried="read the list" onRetry={run} />}
      <div className="actions">
        <Button onClick={onClose}>{work.isBusy ? 'Cancel' : 'Close'}</Button>
      </div>
    </Modal>
  );
}

/** Fields that are no data of an item: signed URLs, which give access to whoever has the file. */
const SECRET = new Set(['downloadUrl', 'uploadUrl']);

/** Formats items as CSV, with a column for each field. Fields of objects have dotted names; no cell is a formula for a spreadsheet. */
function csvOf(items: readonly unknown[]): string {
  const rows = items.map((item) => {
    const row = new Map<string, string>();
    put(row, '', item);
    return row;
  });
  // An object that is null in some rows has no fields there, and its own column is dropped.
  const all = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const names = all.filter((name) => !all.some((other) => other.startsWith(`${name}.`)));
  const lines = [names, ...rows.map((row) => names.map((name) => row.get(name)))];
  return lines.map((cells) => `${cells.map(csvCell).join()}\r\n`).join('');
}

function put(row: Map<string, string>, name: string, value: unknown): void {
  if (Array.isArray(value)) row.set(name, value.map(wordOf).join('; '));
  else if (typeof value === 'object' && value !== null) {
    for (const [field, inner] of Object.entries(value))
      if (!SECRET.has(field)) put(row, name ? `${name}.${field}` : field, inner);
  } else row.set(name, value === null || value === undefined ? '' : String(value));
}

/** Returns one item of a list in a cell: an address, or JSON. */
function wordOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { address } = item as { address?: unknown };
  return typeof address === 'string' ? address : JSON.stringify(item);
}
