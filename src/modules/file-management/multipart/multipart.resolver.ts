import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { AccessByScope } from '../../../common/graphql/access/access.guard.js';
import type { Caller } from '../../../common/auth/caller.js';
import { CurrentCaller } from '../../../common/graphql/access/graphql-context.js';
import { Cheap } from '../../../common/scheduling/work-class.js';
import { asBytes } from '../../../common/base/amounts.js';
import { File } from '../models/file.model.js';
import { LEAST_BYTES_PER_SECOND, MAX_PART_BYTES, MIN_PART_BYTES } from '../models/limits.js';
import {
  AbortMultipartUploadInput,
  CompleteMultipartUploadInput,
  GeneratePartUploadUrlInput,
  InitiateMultipartUploadInput,
} from './multipart.inputs.js';
import { MultipartUpload } from './multipart.model.js';
import { MultipartService } from './multipart.service.js';

const MULTIPART = {
  multipartUpload: 'An open multipart upload with its received parts, to resume it; null if unknown, completed or aborted.',
  initiateMultipartUpload: 'Starts a multipart upload. The content becomes visible on completion.',
  generatePartUploadUrl:
    'Returns the URL to PUT one part to. Parts can be sent in any order, in parallel and repeatedly. Each except the last has ' +
    `${asBytes(MIN_PART_BYTES)} to ${asBytes(MAX_PART_BYTES)}. The response has the ETag that completion needs. ` +
    "The PUT answers 413 if the parts together exceed maxBytes or the tenant's limit, and 408 if " +
    `fewer than ${asBytes(LEAST_BYTES_PER_SECOND)} a second arrive on average after the first minute. PAYLOAD_TOO_LARGE if ` +
    'nothing more may be stored.',
  completeMultipartUpload:
    'Joins the parts into the content of the file atomically. BAD_USER_INPUT for a part that is missing, different or too ' +
    'small: fix it and complete again. PAYLOAD_TOO_LARGE aborts the upload. Repeating the call with the same parts returns the same file.',
  abortMultipartUpload: 'Removes an upload and its parts. The file is unchanged.',
};

const nullable = true;

@Resolver()
@AccessByScope('file-management')
export class MultipartResolver {
  constructor(private readonly multipart: MultipartService) {}

  @Cheap()
  @Query(() => MultipartUpload, { nullable, description: MULTIPART.multipartUpload })
  multipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('fileId', { type: () => String, description: 'Id of the file.' }) fileId: string,
    @Args('uploadId', { type: () => String, description: 'Id returned by initiateMultipartUpload.' }) uploadId: string,
  ): Promise<MultipartUpload | null> {
    return this.multipart.find(caller, { fileId, uploadId });
  }

  @Cheap()
  @Mutation(() => MultipartUpload, { nullable, description: MULTIPART.initiateMultipartUpload })
  initiateMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'File to upload.' }) input: InitiateMultipartUploadInput,
  ): Promise<MultipartUpload> {
    return this.multipart.initiate(caller, input.fileId);
  }

  @Cheap()
  @Mutation(() => String, { nullable, description: MULTIPART.generatePartUploadUrl })
  generatePartUploadUrl(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Upload, and the part to send.' }) input: GeneratePartUploadUrlInput,
  ): Promise<string> {
    return this.multipart.partUrl(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: MULTIPART.completeMultipartUpload })
  completeMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Upload, and its parts in order.' }) input: CompleteMultipartUploadInput,
  ): Promise<File> {
    return this.multipart.complete(caller, input);
  }

  @Cheap()
  @Mutation(() => File, { nullable, description: MULTIPART.abortMultipartUpload })
  abortMultipartUpload(
    @CurrentCaller() caller: Caller,
    @Args('input', { description: 'Upload to abort.' }) input: AbortMultipartUploadInput,
  ): Promise<File> {
    return this.multipart.abort(caller, input);
  }
}
