import { Args, ID, Int, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_IDS } from '../../../common/base/text.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { MAX_MOVED_AT_ONCE } from '../models/limits.js';
import { FileMovesService } from './file-moves.service.js';

const AT_ONCE = asCount(MAX_MOVED_AT_ONCE);
const DESCRIPTIONS = {
  moveFiles:
    'Moves files to another folder, by ids, or a whole folder with its subfolders (which renames it). Returns the number ' +
    `moved; ignores unknown ids and files without a name. Moves up to ${AT_ONCE} files of a folder: call again while it returns ` +
    `${AT_ONCE}. Existing files stay, even with the same name. Ids, content and URLs do not change. ` +
    'BAD_USER_INPUT if a new name is too long; files moved before it stay moved.',
  ids: `1 to ${asCount(MAX_IDS)}. Excludes folder.`,
  folder: 'Prefix of a folder, such as a/b/. Selects its files and those of its subfolders. Excludes ids.',
  to: 'Prefix of the target folder, such as a/c/; empty for the top level. Must not be inside the moved folder.',
};

@Resolver()
@AccessByScope('file-management')
export class FileMovesResolver {
  constructor(private readonly moves: FileMovesService) {}

  @Cheap()
  @Mutation(() => Int, { nullable: true, description: DESCRIPTIONS.moveFiles })
  moveFiles(
    @CurrentCaller() caller: Caller,
    @Args('ids', { type: () => [ID], nullable: 'itemsAndList', description: DESCRIPTIONS.ids }) ids: string[] | null,
    @Args('folder', { type: () => String, nullable: true, description: DESCRIPTIONS.folder }) folder: string | null,
    @Args('to', { type: () => String, description: DESCRIPTIONS.to }) to: string,
  ): Promise<number> {
    return this.moves.move(caller, { ids, folder }, to);
  }
}
