import { Field, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { FileManagementSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = FileManagementSchema;

@ObjectType('FileFolder', { registerIn, description: 'A folder. Exists while file names begin with its prefix.' })
export class FileFolder {
  @Field(() => String, { nullable: true, description: 'Last segment of the prefix, with its slash, such as b/.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Common prefix of its file names, such as a/b/. Use it as prefix of fileFolders, or as folder or namePrefix of files.',
  })
  prefix: string;
}

@ObjectType('FileFoldersResult', { registerIn, description: 'A page of folders.' })
export class FileFoldersResult extends pageOf(FileFolder, {
  nextToken: 'Pass it, with the same prefix, to get the next page; null at the end.',
}) {}
