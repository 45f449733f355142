import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../../common/lists/page-arguments.js';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { FileUrls } from '../file-storage/file-urls.js';
import { FileFoldersService } from './file-folders.service.js';
import { FilesService } from './files.service.js';
import { CreateFileInput, FilesFilter, FilesWithExternalReferenceFilter, UpdateFileInput } from './file.inputs.js';
import { FileFoldersResult } from './file-folder.model.js';
import { File, FilesOrder, FilesResult, MAX_WITH_REFERENCE } from '../models/file.model.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { FILES } from './files.descriptions.js';

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
