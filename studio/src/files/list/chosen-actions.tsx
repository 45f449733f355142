import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { NotFoundError } from '../../../../clients/js/src/errors';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { formatBytes, formatCount, plural } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { type FileRow, shownName } from '../model/file-record';
import { readFilesAgain } from '../model/queries';
import { mayChange } from '../model/rights';
import { ProgressBar } from '../uploads/progress-bar';
import type { Chosen } from './use-choice';

const AT_ONCE = 4;
const NAMED = 3;

interface Run {
  done: number;
  total: number;
  failed: number;
  error?: unknown;
  isOver: boolean;
}

interface ChosenActionsProps {
  chosen: Chosen;
  files: readonly FileRow[];
  onDeleted: () => void;
}

/** Actions on the chosen files, and their progress; undefined while none is chosen. */
export function useChosenActions({ chosen, files, onDeleted }: ChosenActionsProps): ReactNode {
  const api = useApi();
  const queries = useQueryClient();
  const refusal = useRefusal(mayChange('deleteFile'));
  const [isAsking, setAsking] = useState(false);
  const [run, setRun] = useState<Run>();
  const isStopped = useRef(false);
  const targets = files.filter(({ id }) => id && chosen.ids.has(id));
  const size = targets.reduce((sum, { contentLength }) => sum + (contentLength ?? 0), 0);

  /** Deletes the files one by one, a few at once, since the API has no deletion of many. */
  const remove = async () => {
    isStopped.current = false;
    const rest = targets.map(({ id }) => id!);
    const state: Run = { done: 0, total: rest.length, failed: 0, isOver: false };
    setRun({ ...state });
    const work = async () => {
      for (let id = rest.shift(); id && !isStopped.current; id = rest.shift()) {
        try {
          await api.files.deleteFile({ id }, { id: true });
        } catch (error) {
          if (!(error instanceof NotFoundError)) Object.assign(state, { failed: state.failed + 1, error });
        }
        state.done += 1;
        setRun({ ...state });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setRun(state.failed > 0 ? { ...state, isOver: true } : undefined);
    chosen.clear();
    onDeleted();
    await readFilesAgain(queries);
  };

  if (run && !run.isOver) {
    return (
      <>
        <span role="status">{`Deleting ${run.done} of ${run.total}`}</span>
        <ProgressBar label="Deleting" ratio={run.done / run.total} />
        <Button size="small" onClick={() => (isStopped.current = true)}>
          Stop
        </Button>
      </>
    );
  }
  if (run?.isOver) {
    return (
      <>
        <ErrorNotice error={run.error} tried={`delete ${plural(run.failed, 'file')}`} />
        <Button size="small" onClick={() => setRun(undefined)}>
          Close
        </Button>
      </>
    );
  }
  if (chosen.ids.size === 0) return undefined;
  const names = targets.slice(0, NAMED).map(({ name }) => shownName(name));
  const more = targets.length - names.length;
  const list = more > 0 ? `${names.join(', ')} and ${formatCount(more)} more. ` : `${names.join(', ')}. `;
  const word = targets.length === 1 ? 'Delete the file' : `Delete ${plural(targets.length, 'file')}`;
  return (
    <>
      <strong className="grow truncate" role="status">
        {`${formatCount(targets.length)} selected, ${formatBytes(size)}`}
      </strong>
      <Button size="small" look="danger" refusal={refusal} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <Button size="small" look="plain" onClick={chosen.clear}>
        Clear selection
      </Button>
      <Confirm
        title={targets.length === 1 ? `Delete ${names[0]}?` : `${word}?`}
        action={word}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => void remove()}
      >
        {targets.length > 1 && <span className="break">{list}</span>}
        This can’t be undone. Links to {targets.length === 1 ? 'it' : 'them'} stop working.
      </Confirm>
    </>
  );
}
