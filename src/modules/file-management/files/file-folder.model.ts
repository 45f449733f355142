import { Field, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;

@ObjectType('FileFolder', { registerIn, description: 'A folder, which exists as long as names of files begin with its prefix.' })
export class FileFolder {
  @Field(() => String, { nullable: true, description: 'The last part of the prefix, with its slash, such as b/.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'The beginning of all names in it, such as a/b/; for prefix of fileFolders, and folder and namePrefix of files.',
  })
  prefix: string;
}

@ObjectType('FileFoldersResult', { registerIn, description: 'A page of folders.' })
export class FileFoldersResult extends pageOf(FileFolder, {
  nextToken: 'Pass it, with the same prefix, to get the next page; null at the end.',
}) {}
