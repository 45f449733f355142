import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Modal } from './controls';
import { csvOf } from './csv';
import { formatCount, plural } from './format';
import { useLongWork } from './long-work';
import { saveFile } from './save-file';
import { ErrorNotice } from './states';
import type { ReadAll } from './use-pages';
import { WorkProgress } from './work-progress';

interface CsvDialogProps {
  /** Name of the list, such as `Emails`. */
  label: string;
  readAll: ReadAll<unknown>;
  onClose: () => void;
}

/** Reads all matching items, page by page, and saves them as CSV. Closing the dialog stops it. */
export function CsvDialog({ label, readAll, onClose }: CsvDialogProps) {
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
