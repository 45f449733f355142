import { Args, ID, Int, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asCount } from '../../../common/base/amounts.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { DEFAULT_DOWNLOAD_SECONDS, MAX_ARCHIVED, MAX_ARCHIVED_IDS, MAX_URL_SECONDS } from '../models/limits.js';
import { FileArchivesService } from './file-archives.service.js';

/** Memory and cost of counting a folder's files. */
const COUNTING = { memoryBytes: 64 * 1024, cost: MAX_ARCHIVED / 100 };
const DESCRIPTIONS = {
  filesArchiveUrl:
    'URL of a ZIP archive of the files, uncompressed, with their content at the time of the GET. Slashes in names create folders. ' +
    'Skips unknown ids, expired files and files without content. NOT_FOUND if none is left; PAYLOAD_TOO_LARGE for a ' +
    `folder of over ${asCount(MAX_ARCHIVED)} files. ${HEAVY_BOUNDS}`,
  ids: `1 to ${asCount(MAX_ARCHIVED_IDS)}. Excludes folder.`,
  folder: 'Prefix of a folder, such as a/b/. Selects its files and those of its subfolders. Excludes ids.',
  expiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
};

@Resolver()
@AccessByScope('file-management')
export class FileArchivesResolver {
  constructor(private readonly archives: FileArchivesService) {}

  @Heavy(COUNTING)
  @Query(() => String, { nullable: true, description: DESCRIPTIONS.filesArchiveUrl })
  filesArchiveUrl(
    @CurrentCaller() caller: Caller,
    @Args('ids', { type: () => [ID], nullable: 'itemsAndList', description: DESCRIPTIONS.ids }) ids: string[] | null,
    @Args('folder', { type: () => String, nullable: true, description: DESCRIPTIONS.folder }) folder: string | null,
    @Args('expiresIn', { type: () => Int, nullable: true, description: DESCRIPTIONS.expiresIn }) expiresIn: number | null,
  ): Promise<string> {
    return this.archives.url(caller, ids, folder, expiresIn);
  }
}
