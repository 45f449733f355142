import { useCallback } from 'react';
import type { CreateFileInput } from '../../../../clients/js/src/generated/files';
import { useApi } from '../../api/api-context';
import type { Picked } from './picked';
import { uploads } from './upload-store';

/** Returns a function that begins uploads into a folder. */
export function useUpload(): (picked: readonly Picked[], folder: string, more?: CreateFileInput) => void {
  const { files } = useApi();
  return useCallback(
    (picked, folder, more = {}) =>
      uploads.add(
        picked.map(({ file, path }) => ({ source: file, input: { ...more, name: folder + path } })),
        files,
      ),
    [files],
  );
}
