import { Args, ID, Mutation, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../common/auth/caller.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { asCount } from '../../../common/base/amounts.js';
import { MAX_NAME } from '../../../common/base/text.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { File } from '../models/file.model.js';
import { FileCopiesService } from './file-copies.service.js';

const DESCRIPTION =
  'Copies a file and its current content to a new file. The store copies the content itself. Comment, author, ' +
  'contentType, externalReference, attributes and upload rules are copied; the copy is private and does not expire. ' +
  'FAILED_PRECONDITION unless the status is done; PAYLOAD_TOO_LARGE if the copy exceeds a limit of the tenant.';

@Resolver()
@AccessByScope('file-management')
export class FileCopiesResolver {
  constructor(private readonly copies: FileCopiesService) {}

  @Cheap()
  @Mutation(() => File, { nullable: true, description: DESCRIPTION })
  copyFile(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Id of the file to copy.' }) id: string,
    @Args('name', { type: () => String, description: `Name of the copy, up to ${asCount(MAX_NAME)} characters.` })
    name: string,
  ): Promise<File> {
    return this.copies.copy(caller, id, name);
  }
}
