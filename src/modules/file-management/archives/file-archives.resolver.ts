import { Args, ID, Int, Query, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asCount } from '../../../common/base/amounts.js';
import { Heavy, HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { DEFAULT_DOWNLOAD_SECONDS, MAX_ARCHIVED, MAX_ARCHIVED_IDS, MAX_URL_SECONDS } from '../models/limits.js';
import { FileArchivesService } from './file-archives.service.js';

/** Memory and cost of counting the files of a folder. */
const COUNTING = { memoryBytes: 64 * 1024, cost: MAX_ARCHIVED / 100 };
const DESCRIPTIONS = {
  filesArchiveUrl:
    'An address at which a GET returns the files as a ZIP archive, without compression, as they are then. Slashes of names make folders in ' +
    'it. Files without content and expired ones are left out, and so are unknown ids. NOT_FOUND when none is left; PAYLOAD_TOO_LARGE for a ' +
    `folder of over ${asCount(MAX_ARCHIVED)} files. ${HEAVY_BOUNDS}`,
  ids: `1 to ${asCount(MAX_ARCHIVED_IDS)}. This or folder.`,
  folder: 'The prefix of a folder, such as a/b/: all files whose names begin with it, also in its subfolders. This or ids.',
  expiresIn: `Lifetime of the address in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
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
