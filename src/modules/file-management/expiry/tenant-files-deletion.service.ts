import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { MAX_LEFT_COUNTED, TenantData } from '../../../common/tenants/tenant-data.js';
import { BlobStore } from '../blob-store/blob-store.js';
import { MultipartService } from '../multipart/multipart.service.js';

/** Number of concurrent blob removals. */
const BLOBS = 16;
/** Number of blobs removed per step. */
const BLOBS_PER_STEP = 500;

/**
 * Removes all files of a tenant: rows first, then blobs, found by the tenant id at the start of their keys. So no blob remains after
 * a crash, of this removal or an earlier operation.
 */
@Injectable()
export class TenantFilesDeletionService {
  constructor(
    private readonly database: Database,
    private readonly blobs: BlobStore,
    private readonly multipart: MultipartService,
    data: TenantData,
  ) {
    data.add({
      kind: 'multipart uploads',
      count: (tenantId) => data.countRows('MultipartUpload', tenantId),
      remove: (tenantId) => this.removeUpload(tenantId),
    });
    data.addRows('files', 'File', 'id');
    data.add({
      kind: 'blobs',
      count: async (tenantId) => (await this.someBlobs(tenantId, MAX_LEFT_COUNTED)).length,
      remove: (tenantId) => this.removeBlobs(tenantId),
    });
    data.addRows('sums of files', 'FileUsage', 'tenantId', 'shard');
    // Removed after the sums, since the sampler would create new samples from them.
    data.addRows('samples of storage', 'StorageSample', 'tenantId', 'at');
    data.addAuthors('authors of files', 'File');
  }

  /** Removes one upload per step, since it can have 10,000 parts. */
  private async removeUpload(tenantId: string): Promise<number> {
    const upload = await this.database.of(tenantId).multipartUpload.findFirst();
    if (!upload) return 0;
    await this.multipart.remove(upload);
    return 1;
  }

  private async removeBlobs(tenantId: string): Promise<number> {
    const keys = await this.someBlobs(tenantId, BLOBS_PER_STEP);
    const waiting = [...keys];
    const worker = async (): Promise<void> => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await this.blobs.remove(key);
    };
    await Promise.all(Array.from({ length: BLOBS }, worker));
    if (keys.length === 0) await this.blobs.removeFolder(tenantId);
    return keys.length;
  }

  private async someBlobs(tenantId: string, limit: number): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.blobs.list(tenantId)) if (keys.push(key) === limit) break;
    return keys;
  }
}
