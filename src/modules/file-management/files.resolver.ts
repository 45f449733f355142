import { Args, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Limit, NextToken } from '../../common/graphql/page-arguments.js';
import { AccessByScope } from '../../common/auth/access.guard.js';
import type { Caller } from '../../common/auth/caller.js';
import { CurrentCaller } from '../../common/auth/caller.decorator.js';
import { PAGE_END } from '../../common/graphql/page.js';
import { MaxItems } from '../../common/bounds/list-size.js';
import { Config } from '../../common/config/config.js';
import { FileUrls } from './file-urls.js';
import { FilesService } from './files.service.js';
import { CreateFileInput, FilesFilter, FilesWithExternalReferenceFilter, UpdateFileInput } from './inputs/file.inputs.js';
import { File, FilesResult, MAX_WITH_REFERENCE, StorageUsed } from './models/file.model.js';

const nullable = true;

@Resolver(() => File)
@AccessByScope('file-management')
export class FilesResolver {
  constructor(
    private readonly files: FilesService,
    private readonly urls: FileUrls,
    private readonly config: Config,
  ) {}

  @Query(() => String, {
    nullable,
    description: 'The version of the API, as semantic version. Any query entry of the service allows it.',
  })
  version(): string {
    return this.config.version;
  }

  @Query(() => File, { nullable, description: 'Null when the id is unknown.' })
  file(
    @CurrentCaller() caller: Caller,
    @Args('ID', { type: () => ID, description: 'Id of the file.' }) id: string,
  ): Promise<File | null> {
    return this.files.find(caller, id);
  }

  @Query(() => FilesResult, {
    name: 'files',
    nullable,
    description: `Files, newest first. limit is 1 to 1,000, 100 unless given. ${PAGE_END}`,
  })
  list(
    @CurrentCaller() caller: Caller,
    @Args('filter', { type: () => FilesFilter, nullable, description: 'Returns only what matches; left out, everything.' })
    filter: FilesFilter | null,
    @NextToken('filter') nextToken: string | null,
    @Limit() limit: number | null,
  ): Promise<FilesResult> {
    return this.files.page(caller, filter, nextToken, limit);
  }

  @MaxItems(MAX_WITH_REFERENCE, { counted: 1_000 })
  @Query(() => [File], {
    nullable: 'itemsAndList',
    description:
      'All files of a reference, newest first. They cannot be paged: beyond 10,000, limit (1 to 10,000) is ' +
      'required, and where they are too much for one operation (PAYLOAD_TOO_LARGE).',
  })
  filesWithExternalReference(
    @CurrentCaller() caller: Caller,
    @Args('externalReference', { type: () => String, description: 'The whole reference, case-sensitive.' }) reference: string,
    @Args('filter', {
      type: () => FilesWithExternalReferenceFilter,
      nullable,
      description: 'Returns only what matches; left out, everything.',
    })
    filter: FilesWithExternalReferenceFilter | null,
    @Args('limit', { type: () => Int, nullable, description: 'Files to return at most, 1 to 10,000; all unless given.' })
    limit: number | null,
  ): Promise<File[]> {
    return this.files.withReference(caller, reference, filter?.status ?? null, limit ?? null);
  }

  @Query(() => StorageUsed, { nullable, description: 'What all files of the tenant add up to; answered in constant time.' })
  storageUsed(@CurrentCaller() caller: Caller): Promise<StorageUsed> {
    return this.files.storageUsed(caller);
  }

  @Mutation(() => File, {
    nullable,
    description:
      'Creates a file without content; send the bytes by PUT to its uploadUrl. PAYLOAD_TOO_LARGE when the tenant has as ' +
      'many files as it may; the PUT answers 413 when it would store more bytes than it may.',
  })
  createFile(
    @CurrentCaller() caller: Caller,
    @Args('input', {
      type: () => CreateFileInput,
      nullable,
      description: 'What the file is to have; left out, a file without name.',
    })
    input: CreateFileInput | null,
  ): Promise<File> {
    return this.files.create(caller, input);
  }

  @Mutation(() => File, {
    nullable,
    description: 'NOT_FOUND for an unknown id; FAILED_PRECONDITION when the contentType would change under present content.',
  })
  updateFile(
    @CurrentCaller() caller: Caller,
    @Args('input', { type: () => UpdateFileInput, nullable, description: 'The file, and what is to change.' })
    input: UpdateFileInput | null,
  ): Promise<File> {
    return this.files.update(caller, input);
  }

  @Mutation(() => File, { nullable, description: 'Answers with the file as it was. NOT_FOUND for an unknown id.' })
  deleteFile(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => String, nullable, description: 'Id of the file to delete.' }) id: string | null,
  ): Promise<File> {
    return this.files.delete(caller, id);
  }

  @ResolveField(() => String, {
    nullable,
    description:
      'Where the content can be read by GET; null while there is none. expiresIn is its lifetime in seconds, 1 to 604,800, ' +
      '3,600 unless given. For a public file it is permanent.',
  })
  downloadUrl(
    @Parent() file: File,
    @Args('expiresIn', {
      type: () => Int,
      nullable,
      description: 'Lifetime of the address in seconds, 1 to 604,800; 3,600 unless given.',
    })
    expiresIn: number | null,
  ): string | null {
    return this.urls.downloadUrl(file, expiresIn);
  }

  @ResolveField(() => String, {
    nullable,
    description:
      'Where new content can be sent by PUT; null once the file has expired. expiresIn is its lifetime in seconds, 1 to 604,800, ' +
      '30 unless given. An upload that began in time may finish.',
  })
  uploadUrl(
    @Parent() file: File,
    @Args('expiresIn', {
      type: () => Int,
      nullable,
      description: 'Lifetime of the address in seconds, 1 to 604,800; 30 unless given.',
    })
    expiresIn: number | null,
  ): string | null {
    return this.urls.uploadUrl(file, expiresIn);
  }
}
