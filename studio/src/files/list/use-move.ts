import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/api-context';
import { plural } from '../../ui/format';
import { toasts } from '../../ui/toasts';
import { FILES } from '../model/queries';
import { shownName } from '../model/file-record';
import { type Dragged, parentOf } from './dragged';

/** Maximum number of files that one moveFiles moves. */
const AT_ONCE = 1_000;

/** Returns a function that moves files, or a folder with everything below it, and announces it. */
export function useMove(): (moved: Dragged, to: string) => Promise<void> {
  const { files } = useApi();
  const queries = useQueryClient();
  return async (moved, to) => {
    const count = 'ids' in moved ? await moveIds(moved.ids, to) : await moveFolder(moved.folder, to);
    toasts.add({ title: `${plural(count, 'file')} moved to ${to ? shownName(to) : 'the top folder'}` });
    await queries.invalidateQueries({ queryKey: FILES });
  };

  async function moveIds(ids: readonly string[], to: string): Promise<number> {
    let count = 0;
    for (let at = 0; at < ids.length; at += AT_ONCE)
      count += (await files.moveFiles({ ids: ids.slice(at, at + AT_ONCE), to })) ?? 0;
    return count;
  }

  async function moveFolder(folder: string, to: string): Promise<number> {
    let moved = 0;
    for (let count = AT_ONCE; count === AT_ONCE; moved += count) count = (await files.moveFiles({ folder, to })) ?? 0;
    return moved;
  }
}

/** Moves what was dropped on a folder. A folder becomes its subfolder. A failure is announced. */
export function useDrop(): (dragged: Dragged, to: string) => void {
  const move = useMove();
  return (dragged, to) => {
    const target = 'folder' in dragged ? to + dragged.folder.slice(parentOf(dragged.folder).length) : to;
    move(dragged, target).catch((error: unknown) => toasts.add({ title: `Couldn’t move: ${(error as Error).message}` }));
  };
}
