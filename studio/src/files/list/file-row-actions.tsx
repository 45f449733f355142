import { CopyIcon, DownloadIcon, TrashIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import type { MenuEntry } from '../../ui/controls';
import { copy } from '../../ui/copy';
import { openDownload } from '../../ui/save-file';
import { toasts } from '../../ui/toasts';
import { DeleteFile } from '../detail/delete-file';
import type { FileRow } from '../model/file-record';
import { mayChange, mayQuery } from '../model/queries';
import type { ListRow } from './file-columns';

/** Lifetime of a copied link in seconds; that of a public file never expires. */
const LINK_SECONDS = 3_600;

/** Actions on a file in its row, and the confirmation of its deletion. */
export function useFileRowActions(onDeleted: (id: string | null) => void): {
  actionsOf: (row: ListRow) => MenuEntry[];
  question: ReactNode;
} {
  const api = useApi();
  const readRefusal = useRefusal(mayQuery('file'));
  const deleteRefusal = useRefusal(mayChange('deleteFile'));
  const [deleted, setDeleted] = useState<FileRow>();
  const withAddress = async (id: string, then: (address: string) => void) => {
    try {
      const file = await api.files.file({ ID: id }, { downloadUrl: { expiresIn: LINK_SECONDS } });
      if (file?.downloadUrl) then(file.downloadUrl);
      else toasts.add({ title: 'The file has no content' });
    } catch (error) {
      toasts.add({ title: `Couldn’t get the link: ${(error as Error).message}` });
    }
  };
  const actionsOf = (row: ListRow): MenuEntry[] => {
    if (row.kind === 'folder') return [];
    const { file } = row;
    const refusal = readRefusal ?? (file.contentLength === null ? 'The file has no content.' : undefined);
    const copied = () => toasts.add({ title: file.public ? 'Link copied' : 'Link copied. It works for 1 hour' });
    return [
      {
        label: 'Copy link',
        icon: <CopyIcon aria-hidden />,
        onSelect: () => void withAddress(file.id ?? '', (address) => copy(address, copied)),
        refusal,
      },
      {
        label: 'Download',
        icon: <DownloadIcon aria-hidden />,
        onSelect: () => void withAddress(file.id ?? '', openDownload),
        refusal,
      },
      {
        label: 'Delete',
        icon: <TrashIcon aria-hidden />,
        onSelect: () => setDeleted(file),
        refusal: deleteRefusal,
        isDanger: true,
      },
    ];
  };
  const question = deleted && (
    <DeleteFile file={deleted} isOpen onClose={() => setDeleted(undefined)} onDeleted={() => onDeleted(deleted.id)} />
  );
  return { actionsOf, question };
}
