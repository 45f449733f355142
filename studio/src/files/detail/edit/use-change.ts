import { useQueryClient } from '@tanstack/react-query';
import type { UpdateFileInput } from '../../../../../clients/js/src/generated/files';
import { useAction } from '../../../api/use-action';
import { FILE_FIELDS } from '../../model/file-record';
import { FILES } from '../../model/queries';

/** Changes a file, and shows the result of the server. */
export function useChange(id: string) {
  const queries = useQueryClient();
  return useAction(
    ({ files }, changes: Omit<UpdateFileInput, 'id'>) => files.updateFile({ input: { ...changes, id } }, FILE_FIELDS),
    { done: 'File saved', again: FILES, onDone: (file) => queries.setQueryData([...FILES, 'file', id], file) },
  );
}
