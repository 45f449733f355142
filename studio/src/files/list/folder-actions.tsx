import { DotsHorizontalIcon, DownloadIcon, MoveIcon, Pencil1Icon, TrashIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { Confirm } from '../../ui/confirm';
import { ActionMenu, IconButton } from '../../ui/controls';
import { plural } from '../../ui/format';
import { openDownload } from '../../ui/save-file';
import { ErrorNotice } from '../../ui/states';
import { toasts } from '../../ui/toasts';
import { FILES, mayChange, mayQuery } from '../model/queries';
import { parentOf } from './dragged';
import { MoveDialog } from './move-dialog';
import { useMove } from './use-move';

/** Maximum number of files that deleteFiles deletes before it responds. */
const DELETED_AT_ONCE = 1_000;

interface FolderActionsProps {
  folder: string;
  onDeleted: () => void;
  /** Receives the folder's new prefix. */
  onMoved: (prefix: string) => void;
}

/** Actions on the open folder with everything below it. */
export function FolderActions({ folder, onDeleted, onMoved }: FolderActionsProps) {
  const deleteRefusal = useRefusal(mayChange('deleteFiles'));
  const archiveRefusal = useRefusal(mayQuery('filesArchiveUrl'));
  const moveRefusal = useRefusal(mayChange('moveFiles'));
  const [isAsking, setAsking] = useState(false);
  const [moving, setMoving] = useState<'name' | 'place'>();
  const pack = useAction(async ({ files }) => openDownload(await files.filesArchiveUrl({ folder })));
  const remove = useAction(({ files }) => files.deleteFiles({ folder }), {
    again: FILES,
    onDone: (count) => {
      const rest = count === DELETED_AT_ONCE ? '. The rest follows in the background' : '';
      toasts.add({ title: `${plural(count, 'file')} deleted${rest}` });
      onDeleted();
    },
  });
  const above = parentOf(folder);
  const own = folder.slice(above.length);
  const moveTo = useMove();
  const move = async (to: string) => {
    await moveTo({ folder }, to);
    onMoved(to);
  };
  return (
    <>
      <ActionMenu
        trigger={
          <IconButton label="Folder actions" look="plain" size="small">
            <DotsHorizontalIcon />
          </IconButton>
        }
        entries={[
          {
            label: 'Download as ZIP',
            icon: <DownloadIcon aria-hidden />,
            onSelect: () => pack.mutate(),
            refusal: archiveRefusal,
          },
          {
            label: 'Rename folder',
            icon: <Pencil1Icon aria-hidden />,
            onSelect: () => setMoving('name'),
            refusal: moveRefusal,
          },
          {
            label: 'Move folder',
            icon: <MoveIcon aria-hidden />,
            onSelect: () => setMoving('place'),
            refusal: moveRefusal,
          },
          {
            label: 'Delete folder',
            icon: <TrashIcon aria-hidden />,
            onSelect: () => setAsking(true),
            refusal: deleteRefusal,
            isDanger: true,
          },
        ]}
      />
      {moving === 'name' && (
        <MoveDialog
          title={`Rename ${own}`}
          action="Rename"
          label="Name"
          hint="Files keep their IDs and links."
          from={own.slice(0, -1)}
          isRequired
          onClose={() => setMoving(undefined)}
          onMove={(name) => move(above + name)}
        />
      )}
      {moving === 'place' && (
        <MoveDialog
          title={`Move ${own}`}
          action="Move"
          label="To folder"
          hint="Choose a folder, or enter a new one such as invoices/2026. Empty for the top. Existing files stay."
          from={above.slice(0, -1)}
          hasPicker
          onClose={() => setMoving(undefined)}
          onMove={(to) => move(to + own)}
        />
      )}
      {pack.error && <ErrorNotice error={pack.error} tried="download the folder" />}
      <Confirm
        title={`Delete ${folder}?`}
        action="Delete folder"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutateAsync()}
      >
        All files in this folder and its subfolders are deleted. This can’t be undone. Links to them stop working.
      </Confirm>
    </>
  );
}
