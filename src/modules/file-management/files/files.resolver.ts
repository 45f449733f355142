import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/pages/page-arguments.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { PAGE_END, DEFAULT_LIMIT, MAX_LIMIT } from '../../../common/pages/page.js';
import { MaxItems } from '../../../common/bounds/list-size.js';
import { FileUrls } from '../content/file-urls.js';
import { FileFoldersService } from './file-folders.service.js';
import { FilesService } from './files.service.js';
import { CreateFileInput, FilesFilter, FilesWithExternalReferenceFilter, UpdateFileInput } from '../inputs/file.inputs.js';
import { FileFoldersResult } from '../models/file-folder.model.js';
import { File, FilesResult, MAX_WITH_REFERENCE } from '../models/file.model.js';
import { Cheap } from '../../../common/work/work-class.js';
import { asCount } from '../../../common/validation/amounts.js';
import { KEY_LENGTH } from './file-filter.js';
import { DEFAULT_DOWNLOAD_SECONDS, DEFAULT_UPLOAD_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';

const nullable = true;

const FOLDERS =
  'The folders directly below a prefix, as the slashes of names make them, in the order of their code points: of a/b/c.txt, a/ is at ' +
  `the top, and a/b/ is below a/. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. As long as there is a nextToken, there can be more. Folders ` +
  `whose prefix has more than ${KEY_LENGTH} characters (code points) are left out.`;

@Resolver(() => File)
@AccessByScope('file-management')
export class FilesResolver {
  constructor(
    private readonly files: FilesService,
    private readonly folders: FileFoldersService,
    private readonly urls: FileUrls,
  ) {}

  @Cheap()
  @Query(() => File, { nullable, description: 'A file; null for an unknown id.' })
  file(
    @CurrentCaller() caller: Caller,
    @Args('ID', { type: () => ID, description: 'Id of the file.' }) id: string,
  ): Promise<File | null> {
    return this.files.find(caller, id);
  }

  @Query(() => FilesResult, {
    name: 'files',
    nullable,
    description: `Files, newest first. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => FilesFilter, nullable, description: 'Returns only matching files; all if left out.' })
    filter: FilesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<FilesResult> {
    return this.files.page(caller, filter, nextToken, limit);
  }

  @MaxItems(MAX_WITH_REFERENCE, { counted: 1_000 })
  @Cheap()
  @Query(() => [File], {
    nullable: 'itemsAndList',
    description:
      `All files of a reference, newest first, without pages. limit (1 to ${asCount(MAX_WITH_REFERENCE)}) is required when there are more than ${asCount(MAX_WITH_REFERENCE)}, ` +
      'or when they are too large for one operation (PAYLOAD_TOO_LARGE).',
  })
  filesWithExternalReference(
    @CurrentCaller() caller: Caller,
    @Args('externalReference', { type: () => String, description: 'The whole reference, case-sensitive.' }) reference: string,
    @Args('filter', {
      type: () => FilesWithExternalReferenceFilter,
      nullable,
      description: 'Returns only matching files; all if left out.',
    })
    filter: FilesWithExternalReferenceFilter | null,
    @Args('limit', {
      type: () => Int,
      nullable,
      description: `The most files to return, 1 to ${asCount(MAX_WITH_REFERENCE)}; all by default.`,
    })
    limit: number | null,
  ): Promise<File[]> {
    return this.files.withReference(caller, reference, filter?.status ?? null, limit ?? null);
  }

  @Cheap()
  @Query(() => FileFoldersResult, { nullable, description: FOLDERS })
  fileFolders(
    @CurrentCaller() caller: Caller,
    @Args('prefix', {
      type: () => String,
      nullable,
      description: 'The beginning of the names, such as the prefix of a folder; empty by default, for the folders at the top.',
    })
    prefix: string | null,
    @NextToken('prefix') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<FileFoldersResult> {
    return this.folders.page(caller, prefix ?? '', nextToken, limit);
  }

  @Cheap()
  @Mutation(() => File, {
    nullable,
    description:
      'Creates a file without content; send the bytes by PUT to its uploadUrl. PAYLOAD_TOO_LARGE when the tenant has reached ' +
      'its number of files; the PUT answers 413 when it would exceed the bytes of the tenant.',
  })
  createFile(
    @CurrentCaller() caller: Caller,
    @Args('input', {
      type: () => CreateFileInput,
      nullable,
      description: 'The fields of the file; without it the file has no name.',
    })
    input: CreateFileInput | null,
  ): Promise<File> {
    return this.files.create(caller, input);
  }

  @Cheap()
  @Mutation(() => File, {
    nullable,
    description:
      'Changes a file. NOT_FOUND for an unknown id; FAILED_PRECONDITION for another contentType once there is content.',
  })
  updateFile(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => UpdateFileInput, nullable, description: 'The file, and its changed fields.' })
    input: UpdateFileInput | null,
  ): Promise<File> {
    return this.files.update(caller, input);
  }

  @Cheap()
  @Mutation(() => File, {
    nullable,
    description: 'Removes a file with its content, and returns it as it was. NOT_FOUND for an unknown id.',
  })
  deleteFile(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => String, nullable, description: 'Id of the file to delete.' }) id: string | null,
  ): Promise<File> {
    return this.files.delete(caller, id);
  }

  @ResolveField(() => String, {
    nullable,
    description:
      `The URL to read the content from by GET; null without content. expiresIn is its lifetime in seconds, 1 to ${asCount(MAX_URL_SECONDS)}, ` +
      `${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default. The URL of a public file is permanent.`,
  })
  downloadUrl(
    @Parent() file: File,
    @Args('expiresIn', {
      type: () => Int,
      nullable,
      description: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
    })
    expiresIn: number | null,
  ): string | null {
    return this.urls.downloadUrl(file, expiresIn);
  }

  @ResolveField(() => String, {
    nullable,
    description:
      'The URL to send new content to by PUT; null once the file has expired, and for a key with neither mutation:createFile nor ' +
      `mutation:updateFile. expiresIn is its lifetime in seconds, 1 to ${asCount(MAX_URL_SECONDS)}, ${DEFAULT_UPLOAD_SECONDS} by default. An upload that began in time may finish.`,
  })
  uploadUrl(
    @CurrentCaller() { scope }: Caller,
    @Parent() file: File,
    @Args('expiresIn', {
      type: () => Int,
      nullable,
      description: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${DEFAULT_UPLOAD_SECONDS} by default.`,
    })
    expiresIn: number | null,
  ): string | null {
    return this.urls.uploadUrl(file, expiresIn, scope);
  }
}
