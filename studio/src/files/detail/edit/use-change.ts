import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UpdateFileInput } from '../../../../../clients/js/src/generated/files';
import { useApi } from '../../../api/api-context';
import { FILE_FIELDS } from '../../model/file-record';
import { readFilesAgain } from '../../model/queries';

/** Changes a file, and shows the result of the server. */
export function useChange(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    meta: { done: 'File saved' },
    mutationFn: (changes: Omit<UpdateFileInput, 'id'>) => api.files.updateFile({ input: { ...changes, id } }, FILE_FIELDS),
    onSuccess: (file) => {
      queries.setQueryData(['files', 'file', id], file);
      return readFilesAgain(queries);
    },
  });
}
