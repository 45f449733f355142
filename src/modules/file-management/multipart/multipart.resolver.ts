import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/caller.decorator.js';
import {
  AbortMultipartUploadInput,
  CompleteMultipartUploadInput,
  GeneratePartUploadUrlInput,
  InitiateMultipartUploadInput,
} from './multipart.inputs.js';
import { File } from '../models/file.model.js';
import { MultipartUpload } from './multipart.model.js';
import { MultipartService } from './multipart.service.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { MULTIPART } from './multipart.descriptions.js';

const nullable = true;

@Resolver()
@AccessByScope('file-management')
export class MultipartResolver {
  constructor(private readonly multipart: MultipartService) {}

  @Cheap()
  @Query(() => MultipartUpload, { nullable, description: MULTIPART.multipartUpload })
  multipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('fileId', { type: () => String, description: 'The file of the upload.' }) fileId: string,
    @Args('uploadId', { type: () => String, description: 'The id that initiateMultipartUpload returned.' }) uploadId: string,
  ): Promise<MultipartUpload | null> {
    return this.multipart.find(caller, { fileId, uploadId });
  }

  @Cheap()
  @Mutation(() => MultipartUpload, { nullable, description: MULTIPART.initiateMultipartUpload })
  initiateMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The file to upload to.' }) input: InitiateMultipartUploadInput,
  ): Promise<MultipartUpload> {
    return this.multipart.initiate(caller, input.fileId);
  }

  @Cheap()
  @Mutation(() => String, { nullable, description: MULTIPART.generatePartUploadUrl })
  generatePartUploadUrl(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The upload, and the part to send.' }) input: GeneratePartUploadUrlInput,
  ): Promise<string> {
    return this.multipart.partUrl(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: MULTIPART.completeMultipartUpload })
  completeMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The upload, and its parts in order.' }) input: CompleteMultipartUploadInput,
  ): Promise<File> {
    return this.multipart.complete(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: MULTIPART.abortMultipartUpload })
  abortMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'The upload to abort.' }) input: AbortMultipartUploadInput,
  ): Promise<File> {
    return this.multipart.abort(caller, input);
  }
}
