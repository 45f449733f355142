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
    'Moves files to another folder, by ids or all of a folder with its subfolders, which renames a folder too. Returns how many were ' +
    `moved; unknown ids and files without a name are left out. Of a folder up to ${AT_ONCE} are moved: call again while ${AT_ONCE} is ` +
    'returned. Files that are there already stay, also of the same name. Ids, content and addresses stay as they are. ' +
    'BAD_USER_INPUT for a name that would be too long; those moved before it stay moved.',
  ids: `1 to ${asCount(MAX_IDS)}. This or folder.`,
  folder: 'The prefix of a folder, such as a/b/: all files whose names begin with it. This or ids.',
  to: 'The prefix of the folder that they come to, such as a/c/; empty for the top. Not within the folder that is moved.',
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
