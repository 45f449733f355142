import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput, quoted } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { checkInput, MAX_NAME } from '../../../common/base/text.js';
import { filesBelow, type NewName, renameStatement } from './files-below.queries.js';
import { deletedFolderRules, deletedIdsRules, idsOrFolder, targetFolderRules } from './file.inputs.js';
import { MAX_MOVED_AT_ONCE } from '../models/limits.js';

/** How many files one statement moves. */
const FILES_PER_STEP = 100;

/** Moves files between folders, which are the beginnings of their names. All else of them stays: ids, content, addresses. */
@Injectable()
export class FileMovesService {
  constructor(private readonly database: Database) {}

  /**
   * Moves files by their ids, or up to 1,000 of a folder with its subfolders. Returns how many were moved.
   * @throws BAD_USER_INPUT for a name that would be too long; files of earlier steps are moved then
   */
  async move(
    { tenantId }: Caller,
    { ids, folder }: { ids: string[] | null | undefined; folder: string | null | undefined },
    given: string,
  ): Promise<number> {
    const wanted = idsOrFolder(ids, folder, 'are to be moved');
    const to = checkInput(targetFolderRules, given, 'to');
    return wanted.ids ? this.moveIds(tenantId, wanted.ids, to) : this.moveFolder(tenantId, wanted.folder, to);
  }

  private async moveIds(tenantId: string, ids: string[], to: string): Promise<number> {
    const known = [...new Set(checkInput(deletedIdsRules, ids, 'ids'))].filter(isId);
    let moved = 0;
    for (let at = 0; at < known.length; at += FILES_PER_STEP) {
      moved += await this.rename(tenantId, known.slice(at, at + FILES_PER_STEP), (name) => to + lastPart(name));
    }
    return moved;
  }

  private async moveFolder(tenantId: string, given: string, to: string): Promise<number> {
    const folder = checkInput(deletedFolderRules, given, 'folder');
    if (to.startsWith(folder)) throw badInput('to', 'must not be the folder itself or within it');
    let moved = 0;
    for (let from: string | undefined; moved < MAX_MOVED_AT_ONCE;) {
      const limit = Math.min(FILES_PER_STEP, MAX_MOVED_AT_ONCE - moved);
      const found = await this.database.of(tenantId).$cells(filesBelow(this.database.dialect, { tenantId, folder, from, limit }));
      const ids = found.map(([id]) => id as string);
      const renamed = (name: string) => (name.startsWith(folder) ? to + name.slice(folder.length) : name);
      const count = await this.rename(tenantId, ids, renamed);
      moved += count;
      if (found.length < limit) return moved;
      // Passes over what somebody else changed meanwhile.
      if (count === 0) from = found.at(-1)![1] as string;
    }
    return moved;
  }

  /** Renames files, but for those whose name changed since it was read or stays as it is. */
  private async rename(tenantId: string, ids: string[], renamed: (name: string) => string): Promise<number> {
    if (ids.length === 0) return 0;
    const own = this.database.of(tenantId);
    const rows = await own.file.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    const names = rows.flatMap(({ id, name }): NewName[] => {
      const next = name === null ? null : renamed(name);
      return name === null || next === null || next === name ? [] : [{ id, name, next }];
    });
    const tooLong = names.find(({ next }) => next.length > MAX_NAME);
    if (tooLong) throw badInput('to', `makes the name of file ${quoted(tooLong.id)} longer than ${MAX_NAME} characters`);
    if (names.length === 0) return 0;
    return own.$executeRaw(renameStatement(this.database.dialect, tenantId, names, new Date()));
  }
}

/** The name without its folder. A name that ends with a slash keeps its last part. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/', name.length - 2) + 1);
