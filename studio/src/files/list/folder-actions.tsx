import { DotsHorizontalIcon, DownloadIcon, TrashIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { ActionMenu, Confirm, IconButton } from '../../ui/controls';
import { plural } from '../../ui/format';
import { openDownload } from '../../ui/save-file';
import { ErrorNotice } from '../../ui/states';
import { toasts } from '../../ui/toasts';
import { readFilesAgain } from '../model/queries';
import { mayChange, mayQuery } from '../model/rights';

/** The most files of a folder that are deleted before deleteFiles answers. */
const DELETED_AT_ONCE = 1_000;

/** Actions on the open folder and all that is below it. */
export function FolderActions({ folder, onDeleted }: { folder: string; onDeleted: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const deleteRefusal = useRefusal(mayChange('deleteFiles'));
  const archiveRefusal = useRefusal(mayQuery('filesArchiveUrl'));
  const [isAsking, setAsking] = useState(false);
  const pack = useMutation({ mutationFn: async () => openDownload(await api.files.filesArchiveUrl({ folder })) });
  const remove = useMutation({
    mutationFn: () => api.files.deleteFiles({ folder }),
    onSuccess: async (count) => {
      const rest = count === DELETED_AT_ONCE ? '. The rest follows in the background' : '';
      toasts.add({ title: `${plural(count, 'file')} deleted${rest}` });
      onDeleted();
      await readFilesAgain(queries);
    },
  });
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
            label: 'Delete folder',
            icon: <TrashIcon aria-hidden />,
            onSelect: () => setAsking(true),
            refusal: deleteRefusal,
            isDanger: true,
          },
        ]}
      />
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
