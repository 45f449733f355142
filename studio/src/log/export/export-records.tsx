import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal } from '../../ui/controls';
import { formatBytes, formatCount, plural } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { filterInWords, filterOf, orderOf } from '../data/filters';
import { type LongWork, useLongWork, type WorkState } from '../../ui/long-work';
import { WorkProgress } from '../../ui/work-progress';
import { type Format, headOf, lineOf } from './lines';
import { canStream, MOST_IN_MEMORY, openTarget, type Target } from './target';
import type { LogOrder, LogsFilter } from '../../../../clients/js/src/generated/log';
import type { Api } from '../../api/client';
import { readWhole } from '../data/read-logs';
import styles from '../log.module.css';

interface ExportProps {
  search: Readonly<Record<string, string>>;
  isOpen: boolean;
  onClose: () => void;
}

const FORMATS: readonly { format: Format; word: string; about: string }[] = [
  { format: 'ndjson', word: 'JSON Lines', about: 'One record per line, with all fields and edits.' },
  {
    format: 'csv',
    word: 'CSV',
    about: 'A table for spreadsheets. Values that look like formulas are escaped with an apostrophe.',
  },
];

/** Exports the records of the current filter to a file. Closing the dialog stops the export. */
export function ExportRecords({ search, isOpen, onClose }: ExportProps) {
  return (
    <Modal title="Export records" isOpen={isOpen} onClose={onClose}>
      <ExportForm search={search} onClose={onClose} />
    </Modal>
  );
}

function ExportForm({ search, onClose }: Omit<ExportProps, 'isOpen'>) {
  const api = useApi();
  const work = useLongWork();
  const [format, setFormat] = useState<Format>('ndjson');
  const [done, setDone] = useState<Exported>();
  const run = () =>
    work.start(async (running) => {
      setDone(undefined);
      const target = await openTarget(format);
      if (!target) return running.stop();
      return runExport(api, { filter: filterOf(search), order: orderOf(search), format, target, work: running, onPage: setDone });
    });
  return (
    <>
      <p className="break">
        <span className="muted">Filter: </span>
        {filterInWords(search)}
      </p>
      <fieldset className={styles.formats} disabled={work.isBusy}>
        <legend className="visually-hidden">Format</legend>
        {FORMATS.map(({ format: value, word, about }) => (
          <label key={value} className={styles.format}>
            <input type="radio" name="format" checked={format === value} onChange={() => setFormat(value)} />
            <span>
              {word}
              <span className="muted small">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {!canStream() && <p className="muted small">This browser exports at most {formatCount(MOST_IN_MEMORY)} records.</p>}
      {work.state && (
        <WorkProgress
          label="Export"
          share={work.state === 'done' ? 1 : work.isBusy ? undefined : 0}
          about={aboutOf(work.state, done)}
          state={work.state}
          onPause={work.pause}
          onResume={work.resume}
          onStop={work.stop}
        />
      )}
      {work.state === 'failed' && <ErrorNotice error={work.error} tried="export the records" />}
      <div className="actions">
        <Button onClick={onClose}>{work.state === 'done' ? 'Close' : 'Cancel'}</Button>
        <Button look="primary" disabled={work.isBusy} onClick={run}>
          Export
        </Button>
      </div>
    </>
  );
}

function aboutOf(state: WorkState, done: Exported | undefined): string {
  const so = `${plural(done?.records ?? 0, 'record')}, ${formatBytes(done?.bytes ?? 0)}`;
  if (state === 'stopped') return done ? `Stopped. Exported ${so}.` : 'Stopped.';
  if (state === 'paused') return `Paused at ${so}`;
  if (state === 'done')
    return done?.isCut ? `${so}. More records match. Narrow the filter to export the rest.` : `Export complete: ${so}.`;
  return so;
}

interface Exported {
  records: number;
  bytes: number;
  /** Whether more records match the filter than the target can hold. */
  isCut: boolean;
}

interface ExportOptions {
  filter: LogsFilter;
  order: LogOrder;
  format: Format;
  target: Target;
  work: LongWork;
  onPage: (exported: Exported) => void;
}

const PAGE = 500;

/** Writes all records of a filter, page by page. Stopping preserves the written part. */
async function runExport(api: Api, { filter, order, format, target, work, onPage }: ExportOptions): Promise<void> {
  const done: Exported = { records: 0, bytes: 0, isCut: false };
  try {
    await target.write(headOf(format));
    for (let nextToken: string | undefined; ;) {
      await work.turn();
      if (work.isStopped) return;
      const page = await readWhole(api, { filter, order, limit: PAGE, nextToken }, work.signal);
      const items = page.items.slice(0, target.most - done.records);
      const text = items.map((record) => lineOf(record, format)).join('');
      await target.write(text);
      done.records += items.length;
      done.bytes += new TextEncoder().encode(text).length;
      done.isCut = items.length < page.items.length || (done.records >= target.most && page.nextToken !== null);
      onPage({ ...done });
      if (page.nextToken === null || done.isCut) return;
      nextToken = page.nextToken;
    }
  } finally {
    await target.finish();
  }
}
