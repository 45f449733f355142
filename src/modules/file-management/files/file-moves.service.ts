import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput, quoted } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { checkInput, MAX_NAME } from '../../../common/base/text.js';
import { filesBelow, type NewName, renameStatement } from './files-below.queries.js';
import { deletedFolderRules, deletedIdsRules, idsOrFolder, targetFolderRules } from './file.inputs.js';
import { MAX_MOVED_AT_ONCE } from '../models/limits.js';

/** Number of files moved per statement. */
const FILES_PER_STEP = 100;

/** Moves files between folders by changing the prefix of their names. Ids, content and URLs stay. */
@Injectable()
export class FileMovesService {
  constructor(private readonly database: Database) {}

  /**
   * Moves files by ids, or up to 1,000 of a folder with its subfolders. Returns the number moved.
   * @throws BAD_USER_INPUT if a new name is too long; files of earlier steps stay moved
   */
  async move(
    { tenantId }: Caller,
    { ids, folder }: { ids: string[] | null | undefined; folder: string | null | undefined },
    given: string,
  ): Promise<number> {
    const wanted = idsOrFolder(ids, folder, 'to move');
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
      // Skips files changed by somebody else meanwhile.
      if (count === 0) from = found.at(-1)![1] as string;
    }
    return moved;
  }

  /** Renames files, except those whose name was changed meanwhile or would not change. */
  private async rename(tenantId: string, ids: string[], renamed: (name: string) => string): Promise<number> {
    if (ids.length === 0) return 0;
    const own = this.database.of(tenantId);
    const rows = await own.file.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    const names = rows.flatMap(({ id, name }): NewName[] => {
      const next = name === null ? null : renamed(name);
      return name === null || next === null || next === name ? [] : [{ id, name, next }];
    });
    const tooLong = names.find(({ next }) => next.length > MAX_NAME);
    if (tooLong)
      throw badInput(
        'to',
        `makes the name of file ${quoted(tooLong.id)} longer than ${MAX_NAME} characters; send a shorter prefix`,
      );
    if (names.length === 0) return 0;
    return own.$executeRaw(renameStatement(this.database.dialect, tenantId, names, new Date()));
  }
}

/** Returns the name without its folder. A name ending with a slash keeps its last segment. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf('/', name.length - 2) + 1);
