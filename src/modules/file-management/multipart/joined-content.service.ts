import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import type { AppError } from '../../../common/base/app-error.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { asRefusal } from '../file-storage/current-content.service.js';
import type { FileRow } from '../file-storage/file-row.js';
import { checksumProblem, firstBytesOf } from '../content-rules/content-rules.js';
import { HEAD_BYTES } from '../content-rules/recognized-type.js';

/** Checks joined content against the rules of its file, since parts may have been sent directly to the store. */
@Injectable()
export class JoinedContentService {
  constructor(private readonly blobs: BlobStore) {}

  /** Returns the error of joined content that breaks a rule of its file, or undefined. */
  async problem(file: FileRow, blobKey: string, contentType: string): Promise<AppError | undefined> {
    try {
      return (await this.typeProblem(file, blobKey, contentType)) ?? (await this.checksumProblem(file, blobKey));
    } catch (error) {
      throw asRefusal(error);
    }
  }

  private async typeProblem(file: FileRow, blobKey: string, contentType: string): Promise<AppError | undefined> {
    const first = firstBytesOf(file, contentType);
    if (!first) return undefined;
    const stat = await this.blobs.stat(blobKey);
    const end = Math.min(stat?.sizeBytes ?? 0, HEAD_BYTES) - 1;
    if (end >= 0) first.add(await buffer(await this.blobs.open(blobKey, { start: 0, end })));
    return first.verdict();
  }

  private async checksumProblem(file: FileRow, blobKey: string): Promise<AppError | undefined> {
    if (!file.expectedSha256) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of await this.blobs.open(blobKey)) hash.update(chunk as Buffer);
    return checksumProblem(file, hash.digest('hex'));
  }
}
