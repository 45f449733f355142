import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-of.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount } from '../../../common/base/amounts.js';
import { FileUrls } from '../file-storage/file-urls.js';
import { File, FilesOrder, FilesResult, MAX_WITH_REFERENCE } from '../models/file.model.js';
import { DEFAULT_DOWNLOAD_SECONDS, DEFAULT_UPLOAD_SECONDS, KEY_LENGTH, MAX_URL_SECONDS } from '../models/limits.js';
import { FileFoldersService } from './file-folders.service.js';
import { FilesService } from './files.service.js';
import { CreateFileInput, FilesFilter, FilesWithExternalReferenceFilter, UpdateFileInput } from './file.inputs.js';
import { FileFoldersResult } from './file-folder.model.js';

const FILES = {
  file: 'A file; null for an unknown id.',
  files: `Files, newest first unless order says otherwise. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  filter: 'Conditions that files must match.',
  filesWithExternalReference:
    `All files with a reference, newest first, without pages. limit (1 to ${asCount(MAX_WITH_REFERENCE)}) is required if there ` +
    `are more than ${asCount(MAX_WITH_REFERENCE)}, or if they are too large for one operation (PAYLOAD_TOO_LARGE).`,
  filesWithExternalReferenceLimit: `Maximum number of files, 1 to ${asCount(MAX_WITH_REFERENCE)}; all by default.`,
  fileFolders:
    'Folders directly below a prefix, as formed by slashes in file names, ordered by code points. A file a/b/c.txt is in the ' +
    `folders a/ and a/b/. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. Read on while there is a ` +
    `nextToken. Omits folders whose prefix has more than ${KEY_LENGTH} characters (code ` +
    'points).',
  fileFoldersPrefix: 'Prefix of the file names, such as that of a folder. Empty by default, for top-level folders.',
  createFile:
    "Creates a file without content; send the content by PUT to its uploadUrl. PAYLOAD_TOO_LARGE at the tenant's limit of " +
    "files. The PUT answers 413 above the tenant's limit of bytes.",
  createFileInput: 'Fields of the file; without them the file has no name.',
  updateFile:
    'Changes a file. NOT_FOUND for an unknown id; FAILED_PRECONDITION for a change of contentType once the file has content.',
  deleteFile: 'Deletes a file with its content, and returns its last state. NOT_FOUND for an unknown id.',
  downloadUrl:
    'URL to GET the content from; null without content. expiresIn is its lifetime in seconds, 1 to ' +
    `${asCount(MAX_URL_SECONDS)}, ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default. The URL of a public file is permanent.`,
  downloadUrlExpiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
  uploadUrl:
    'URL to PUT new content to; null for an expired file, and for a key with neither mutation:createFile nor ' +
    `mutation:updateFile. expiresIn is its lifetime in seconds, 1 to ${asCount(MAX_URL_SECONDS)}, ${DEFAULT_UPLOAD_SECONDS} by ` +
    'default. An upload that started in time may finish.',
  uploadUrlExpiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${DEFAULT_UPLOAD_SECONDS} by default.`,
};

const nullable = true;

@Resolver(() => File)
@AccessByScope('file-management')
export class FilesResolver {
  constructor(
    private readonly files: FilesService,
    private readonly folders: FileFoldersService,
    private readonly urls: FileUrls,
  ) {}

  @Cheap()
  @Query(() => File, { nullable, description: FILES.file })
  file(
    @CurrentCaller() caller: Caller,
    @Args('ID', { type: () => ID, description: 'Id of the file.' }) id: string,
  ): Promise<File | null> {
    return this.files.find(caller, id);
  }

  @Query(() => FilesResult, { name: 'files', nullable, description: FILES.files })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => FilesFilter, nullable, description: FILES.filter })
    filter: FilesFilter | null,
    @NextToken('filter and order') nextToken: string | null,
    @Limit() limit: number | null,
    @Args('order', { type: () => FilesOrder, nullable, description: 'Sort order; NEWEST by default.' }) order: FilesOrder | null,
  ): Promise<FilesResult> {
    return this.files.page(caller, { filter, order }, nextToken, limit);
  }

  @MaxItems(MAX_WITH_REFERENCE, { counted: 1_000 })
  @Cheap()
  @Query(() => [File], { nullable: 'itemsAndList', description: FILES.filesWithExternalReference })
  filesWithExternalReference(
    @CurrentCaller() caller: Caller,
    @Args('externalReference', { type: () => String, description: 'Complete reference, case-sensitive.' }) reference: string,
    @Args('filter', { type: () => FilesWithExternalReferenceFilter, nullable, description: FILES.filter })
    filter: FilesWithExternalReferenceFilter | null,
    @Args('limit', { type: () => Int, nullable, description: FILES.filesWithExternalReferenceLimit })
    limit: number | null,
  ): Promise<File[]> {
    return this.files.withReference(caller, reference, filter?.status ?? null, limit ?? null);
  }

  @Cheap()
  @Query(() => FileFoldersResult, { nullable, description: FILES.fileFolders })
  fileFolders(
    @CurrentCaller() caller: Caller,
    @Args('prefix', { type: () => String, nullable, description: FILES.fileFoldersPrefix })
    prefix: string | null,
    @NextToken('prefix') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<FileFoldersResult> {
    return this.folders.page(caller, prefix ?? '', nextToken, limit);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: FILES.createFile })
  createFile(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => CreateFileInput, nullable, description: FILES.createFileInput })
    input: CreateFileInput | null,
  ): Promise<File> {
    return this.files.create(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: FILES.updateFile })
  updateFile(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => UpdateFileInput, nullable, description: 'Id of the file, and its changed fields.' })
    input: UpdateFileInput | null,
  ): Promise<File> {
    return this.files.update(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: FILES.deleteFile })
  deleteFile(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => String, nullable, description: 'Id of the file to delete.' }) id: string | null,
  ): Promise<File> {
    return this.files.delete(caller, id);
  }

  @ResolveField(() => String, { nullable, description: FILES.downloadUrl })
  downloadUrl(
    @Parent() file: File,
    @Args('expiresIn', { type: () => Int, nullable, description: FILES.downloadUrlExpiresIn })
    expiresIn: number | null,
  ): string | null {
    return this.urls.downloadUrl(file, expiresIn);
  }

  @ResolveField(() => String, { nullable, description: FILES.uploadUrl })
  uploadUrl(
    @CurrentCaller() { scope }: Caller,
    @Parent() file: File,
    @Args('expiresIn', { type: () => Int, nullable, description: FILES.uploadUrlExpiresIn })
    expiresIn: number | null,
  ): string | null {
    return this.urls.uploadUrl(file, expiresIn, scope);
  }
}
