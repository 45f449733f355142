import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NotFoundError } from '../../../../clients/js/src/errors';
import { useApi } from '../../api/api-context';
import { Confirm } from '../../ui/controls';
import { toasts } from '../../ui/toasts';
import { ErrorNotice } from '../../ui/states';
import { baseName, type FileRow } from '../model/file-record';
import { readFilesAgain } from '../model/queries';

interface DeleteFileProps {
  file: Pick<FileRow, 'id' | 'name'>;
  isOpen: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

/** Confirms once, and deletes. */
export function DeleteFile({ file, isOpen, onClose, onDeleted }: DeleteFileProps) {
  const api = useApi();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const remove = async () => {
    setError(undefined);
    try {
      await api.files.deleteFile({ id: file.id ?? '' }, { id: true });
    } catch (fault) {
      if (!(fault instanceof NotFoundError)) {
        setError(fault);
        throw fault;
      }
    }
    toasts.add({ title: 'File deleted' });
    onDeleted();
    void readFilesAgain(queries);
  };
  const close = () => {
    setError(undefined);
    onClose();
  };
  return (
    <Confirm title={`Delete ${baseName(file.name)}?`} action="Delete file" isOpen={isOpen} onClose={close} onConfirm={remove}>
      The content is removed immediately. Links to it stop working. This can’t be undone.
      {error !== undefined && <ErrorNotice error={error} tried="delete the file" />}
    </Confirm>
  );
}
