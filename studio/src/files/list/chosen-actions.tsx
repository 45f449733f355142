import { DownloadIcon, MoveIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { formatBytes, formatCount, plural } from '../../ui/format';
import { openDownload } from '../../ui/save-file';
import { ErrorNotice } from '../../ui/states';
import type { Chosen } from '../../ui/use-choice';
import { type FileRow, shownName } from '../model/file-record';
import { FILES, mayChange, mayQuery } from '../model/queries';
import { MoveDialog } from './move-dialog';
import { useMove } from './use-move';

/** Maximum ids of deleteFiles. */
const AT_ONCE = 1_000;
const PACKED = 100;
const NAMED = 3;

interface ChosenActionsProps {
  folder: string;
  chosen: Chosen<FileRow>;
  onDeleted: () => void;
}

/** Actions on the chosen files; undefined if none is chosen. */
export function useChosenActions({ folder, chosen, onDeleted }: ChosenActionsProps): ReactNode {
  const archiveRefusal = useRefusal(mayQuery('filesArchiveUrl'));
  const [isMoving, setMoving] = useState(false);
  const targets = chosen.items;
  const ids = targets.map(({ id }) => id!);
  const size = targets.reduce((sum, { contentLength }) => sum + (contentLength ?? 0), 0);
  const remove = useAction(
    async ({ files }) => {
      for (let at = 0; at < ids.length; at += AT_ONCE) await files.deleteFiles({ ids: ids.slice(at, at + AT_ONCE) });
    },
    {
      done: `${plural(ids.length, 'file')} deleted`,
      again: FILES,
      onDone: () => {
        chosen.clear();
        onDeleted();
      },
    },
  );
  const pack = useAction(async ({ files }) => openDownload(await files.filesArchiveUrl({ ids })));
  const moveTo = useMove();
  const move = async (to: string) => {
    await moveTo({ ids }, to);
    chosen.clear();
  };
  if (ids.length === 0) return undefined;
  const names = targets.slice(0, NAMED).map(({ name }) => shownName(name));
  const more = targets.length - names.length;
  const list = more > 0 ? `${names.join(', ')} and ${formatCount(more)} more. ` : `${names.join(', ')}. `;
  const word = targets.length === 1 ? 'Delete the file' : `Delete ${plural(targets.length, 'file')}`;
  return (
    <>
      {chosen.summary(formatBytes(size))}
      {pack.error && <ErrorNotice error={pack.error} tried="download the files" />}
      <Button
        size="small"
        refusal={ids.length > PACKED ? `Select up to ${PACKED} files to download them together.` : archiveRefusal}
        disabled={pack.isPending}
        onClick={() => pack.mutate()}
      >
        <DownloadIcon aria-hidden />
        Download
      </Button>
      <Button size="small" right={mayChange('moveFiles')} onClick={() => setMoving(true)}>
        <MoveIcon aria-hidden />
        Move
      </Button>
      {isMoving && (
        <MoveDialog
          title={`Move ${plural(targets.length, 'file')}`}
          action="Move"
          label="To folder"
          hint="Choose a folder, or enter a new one such as invoices/2026. Empty for the top."
          from={folder.slice(0, -1)}
          hasPicker
          onClose={() => setMoving(false)}
          onMove={move}
        />
      )}
      <ConfirmButton
        word={remove.isPending ? 'Deleting' : 'Delete'}
        size="small"
        right={mayChange('deleteFiles')}
        disabled={remove.isPending}
        title={targets.length === 1 ? `Delete ${names[0]}?` : `${word}?`}
        action={word}
        onConfirm={() => remove.mutateAsync()}
      >
        {targets.length > 1 && <span className="break">{list}</span>}
        This can’t be undone. Links to {targets.length === 1 ? 'it' : 'them'} stop working.
      </ConfirmButton>
      <Button size="small" look="plain" onClick={chosen.clear}>
        Clear selection
      </Button>
    </>
  );
}
