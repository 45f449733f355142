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

/** Schema descriptions of the operations on uploads in parts. */
const MULTIPART = {
  multipartUpload:
    'An open upload with the parts that have arrived, for resuming; null when it is unknown, completed or aborted.',
  initiateMultipartUpload: 'Begins an upload in parts. Its content becomes visible once it is completed.',
  generatePartUploadUrl:
    'Returns the URL to send one part to by PUT. Parts can be sent in any order, in parallel, and again; each but the last has ' +
    `${asBytes(MIN_PART_BYTES)} to ${asBytes(MAX_PART_BYTES)}. The answer to the PUT carries the ETag that completing needs. ` +
    'It is 413 when all parts together exceed the largest file or the bytes that the tenant may still store, and 408 when ' +
    `fewer than ${asBytes(LEAST_BYTES_PER_SECOND)} a second arrive on average after the first minute. PAYLOAD_TOO_LARGE when ` +
    'nothing more may be stored.',
  completeMultipartUpload:
    'Joins the parts to the content of the file, all at once. BAD_USER_INPUT names a part that is missing, different or too ' +
    'small; the upload can still be completed. PAYLOAD_TOO_LARGE ends it. A repeat with the same parts returns the same.',
  abortMultipartUpload: 'Removes an upload and its parts; the file stays as it is.',
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
