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

/** Schema descriptions of the operations on files. */
const FILES = {
  file: 'A file; null for an unknown id.',
  files: `Files, newest first unless order says otherwise. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END}`,
  filter: 'Returns only matching files; all if left out.',
  filesWithExternalReference:
    `All files of a reference, newest first, without pages. limit (1 to ${asCount(MAX_WITH_REFERENCE)}) is required when there ` +
    `are more than ${asCount(MAX_WITH_REFERENCE)}, or when they are too large for one operation (PAYLOAD_TOO_LARGE).`,
  filesWithExternalReferenceLimit: `The most files to return, 1 to ${asCount(MAX_WITH_REFERENCE)}; all by default.`,
  fileFolders:
    'The folders directly below a prefix, as the slashes of names make them, in the order of their code points: of a/b/c.txt, ' +
    `a/ is at the top, and a/b/ is below a/. limit is 1 to ${asCount(MAX_LIMIT)}, ${asCount(DEFAULT_LIMIT)} by default. As ` +
    `long as there is a nextToken, there can be more. Folders whose prefix has more than ${KEY_LENGTH} characters (code ` +
    'points) are left out.',
  fileFoldersPrefix: 'The beginning of the names, such as the prefix of a folder; empty by default, for the folders at the top.',
  createFile:
    'Creates a file without content; send the bytes by PUT to its uploadUrl. PAYLOAD_TOO_LARGE when the tenant has reached ' +
    'its number of files; the PUT answers 413 when it would exceed the bytes of the tenant.',
  createFileInput: 'The fields of the file; without it the file has no name.',
  updateFile: 'Changes a file. NOT_FOUND for an unknown id; FAILED_PRECONDITION for another contentType once there is content.',
  deleteFile: 'Removes a file with its content, and returns it as it was. NOT_FOUND for an unknown id.',
  downloadUrl:
    'The URL to read the content from by GET; null without content. expiresIn is its lifetime in seconds, 1 to ' +
    `${asCount(MAX_URL_SECONDS)}, ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default. The URL of a public file is permanent.`,
  downloadUrlExpiresIn: `Lifetime of the URL in seconds, 1 to ${asCount(MAX_URL_SECONDS)}; ${asCount(DEFAULT_DOWNLOAD_SECONDS)} by default.`,
  uploadUrl:
    'The URL to send new content to by PUT; null once the file has expired, and for a key with neither mutation:createFile nor ' +
    `mutation:updateFile. expiresIn is its lifetime in seconds, 1 to ${asCount(MAX_URL_SECONDS)}, ${DEFAULT_UPLOAD_SECONDS} by ` +
    'default. An upload that began in time may finish.',
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
    @Args('order', { type: () => FilesOrder, nullable, description: 'NEWEST unless given.' }) order: FilesOrder | null,
  ): Promise<FilesResult> {
    return this.files.page(caller, { filter, order }, nextToken, limit);
  }

  @MaxItems(MAX_WITH_REFERENCE, { counted: 1_000 })
  @Cheap()
  @Query(() => [File], { nullable: 'itemsAndList', description: FILES.filesWithExternalReference })
  filesWithExternalReference(
    @CurrentCaller() caller: Caller,
    @Args('externalReference', { type: () => String, description: 'The whole reference, case-sensitive.' }) reference: string,
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
    @Args('input', { type: () => UpdateFileInput, nullable, description: 'The file, and its changed fields.' })
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
