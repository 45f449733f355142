import { Args, ID, Int, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_IDS } from '../../../common/base/text.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { MAX_DELETED_AT_ONCE } from '../models/limits.js';
import { FileDeletionsService } from './file-deletions.service.js';

const AT_ONCE = asCount(MAX_DELETED_AT_ONCE);
const DESCRIPTIONS = {
  deleteFiles:
    'Deletes files and their content, by ids or by folder. Returns the number deleted; ignores unknown ids. Deletes up to ' +
    `${AT_ONCE} files of a folder at once. If the folder has more, returns ${AT_ONCE} and deletes the others in the background, except ` +
    'those created, moved there or changed after the call.',
  ids: `1 to ${asCount(MAX_IDS)}. Excludes folder.`,
  folder: 'Prefix of a folder, such as a/b/. Selects its files and those of its subfolders. Excludes ids.',
};

@Resolver()
@AccessByScope('file-management')
export class FileDeletionsResolver {
  constructor(private readonly deletions: FileDeletionsService) {}

  @Cheap()
  @Mutation(() => Int, { nullable: true, description: DESCRIPTIONS.deleteFiles })
  deleteFiles(
    @CurrentCaller() caller: Caller,
    @Args('ids', { type: () => [ID], nullable: 'itemsAndList', description: DESCRIPTIONS.ids }) ids: string[] | null,
    @Args('folder', { type: () => String, nullable: true, description: DESCRIPTIONS.folder }) folder: string | null,
  ): Promise<number> {
    return this.deletions.delete(caller, ids, folder);
  }
}
