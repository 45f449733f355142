import { NotFoundError } from '../../../../clients/js/src/errors';
import { useAction } from '../../api/use-action';
import { Confirm } from '../../ui/confirm';
import { baseName, type FileRow } from '../model/file-record';
import { FILES } from '../model/queries';

interface DeleteFileProps {
  file: Pick<FileRow, 'id' | 'name'>;
  isOpen: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

/** Confirms once, and deletes. */
export function DeleteFile({ file, isOpen, onClose, onDeleted }: DeleteFileProps) {
  const deleting = useAction(
    async ({ files }) => {
      try {
        await files.deleteFile({ id: file.id ?? '' }, { id: true });
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    },
    { done: 'File deleted', again: FILES, onDone: onDeleted },
  );
  return (
    <Confirm
      title={`Delete ${baseName(file.name)}?`}
      action="Delete file"
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => deleting.mutateAsync()}
    >
      The content is removed immediately. Links to it stop working. This can’t be undone.
    </Confirm>
  );
}
