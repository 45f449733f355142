import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import type { FileFolder } from './file-folder.model.js';
import { folderKeys } from './file-folders.queries.js';

/** Lists folders. A folder exists while a file name contains it, followed by a slash. */
@Injectable()
export class FileFoldersService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Returns a page of folders, ordered by prefix. Needs one index lookup per folder, and reads no files. */
  async page(
    { tenantId, budget }: Caller,
    prefix: string,
    nextToken: string | null,
    givenLimit: number | null,
  ): Promise<Page<FileFolder>> {
    checkText('prefix', prefix, { max: MAX_NAME });
    const limit = this.cursors.limit(givenLimit);
    const context = { tenantId, operation: 'fileFolders', filter: { prefix } };
    const after = this.cursors.after(nextToken, context);
    const keys = await folderKeys(this.database, { tenantId, prefix, after, limit: limit + 1 });
    await budget?.reserve(keys.reduce((sum, key) => sum + key.length, 0));
    const shown = keys.slice(0, limit).map((key) => key.slice(0, key.indexOf('/', prefix.length) + 1) || key);
    const more = keys.length > limit && shown.at(-1)!;
    const { items, ...page } = this.cursors.page(shown, more, String, context);
    return { ...page, items: items.filter((folder) => folder.endsWith('/')).map(toFolder) };
  }
}

function toFolder(prefix: string): FileFolder {
  return { name: prefix.slice(prefix.slice(0, -1).lastIndexOf('/') + 1), prefix };
}
