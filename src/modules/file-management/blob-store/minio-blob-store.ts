import type { ClientRequest } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { Client } from 'minio';
import type { MinioSettings } from '../../../common/config/settings/store-settings.js';
import {
  BlobMissing,
  type BlobStat,
  BlobStore,
  BlobStoreUnavailable,
  type ByteRange,
  type Part,
  PartMismatch,
  type Presentation,
  type StoredBlob,
  UploadMissing,
} from './blob-store.js';
import { checkKey, checkUploadId, toStoreError } from './minio-errors.js';
import { RoleCredentials } from './s3/role-credentials.js';
import { copyWithin } from './s3/server-side-copy.js';
import { type Answer, ContentBroke, receiveContent, send, StoreHttp, StoreSilent } from './s3/store-http.js';

/** Lifetime of URLs signed for this server's own requests. Allows for clock skew. */
const OWN_REQUEST_SECONDS = 900;
const CHUNK_BYTES = 256 * 1024;

/** Timeouts for a silent store: in a short call, during a transfer, and while it joins parts. */
export interface StoreTimeouts {
  callMs: number;
  dataMs: number;
  joinMs: number;
}

/** Default timeouts. The first two let callers get an answer within 12 s. Some stores need longer to join large parts. */
const TIMEOUTS: StoreTimeouts = { callMs: 7_000, dataMs: 8_000, joinMs: 30_000 };

/**
 * Stores blobs in an S3 bucket. The SDK makes calls without content. Content is sent by plain requests to signed URLs, because
 * putObject of the SDK buffers it and accepts a stream that ends early.
 */
export class MinioBlobStore extends BlobStore {
  private readonly http: StoreHttp;
  /** Credentials of the machine's role, used if no access key is set. */
  private readonly role: RoleCredentials | undefined;
  private readonly client: Client;
  /** Client for joining and copying, the calls that may take long. */
  private readonly slowClient: Client;
  /** Client for signing URLs with the public endpoint. */
  private readonly publicSigner: Client | undefined;

  constructor(
    private readonly settings: MinioSettings,
    private readonly timeouts: StoreTimeouts = TIMEOUTS,
  ) {
    super();
    this.http = new StoreHttp(new URL(settings.endpoint));
    this.role = settings.accessKey ? undefined : new RoleCredentials();
    this.client = this.clientOf(settings.endpoint, timeouts.callMs);
    this.slowClient = this.clientOf(settings.endpoint, timeouts.joinMs);
    this.publicSigner = settings.publicEndpoint ? this.clientOf(settings.publicEndpoint, timeouts.callMs) : undefined;
  }

  /** Creates the bucket if it is missing. */
  async prepare(): Promise<void> {
    const { bucket, region } = this.settings;
    await this.ask(async () => {
      if (await this.client.bucketExists(bucket)) return;
      await this.client.makeBucket(bucket, region).catch(async (error: unknown) => {
        if (!(await this.client.bucketExists(bucket))) throw error; // another node may have created it first
      });
    });
  }

  async put(key: string, content: Readable, sizeBytes: number): Promise<void> {
    checkKey(key);
    const request = await this.signedRequest('PUT', key, {}, sizeBytes);
    try {
      await sendTo(request, content, { sizeBytes });
      const stored = await this.stat(key);
      if (stored?.sizeBytes !== sizeBytes)
        throw new BlobStoreUnavailable('The stored content has another size than the sent content');
    } catch (error) {
      // A store discards an incomplete body. If only its response was lost, the blob may exist.
      const removal = request.writableEnded && this.remove(key).catch(() => undefined);
      if (!isSilence(error)) await removal; // a store that does not respond is not waited for twice
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    checkKey(key);
    const content = await this.ask(
      async () => {
        const headers = range && { range: `bytes=${range.start}-${range.end}` };
        const address = await this.client.presignedUrl('GET', this.settings.bucket, key, OWN_REQUEST_SECONDS);
        return receiveContent(this.http.request(address, { method: 'GET', headers }, this.timeouts.dataMs));
      },
      { key },
    );
    const readable = new PassThrough({ highWaterMark: CHUNK_BYTES });
    content.on('error', (error) => readable.destroy(toStoreError(error, {})));
    readable.on('close', () => content.destroy());
    return content.pipe(readable);
  }

  async stat(key: string): Promise<BlobStat | undefined> {
    checkKey(key);
    try {
      const { size, etag } = await this.ask(() => this.client.statObject(this.settings.bucket, key), { key });
      return { sizeBytes: size, etag: etag.replaceAll('"', '') };
    } catch (error) {
      if (error instanceof BlobMissing) return undefined;
      throw error;
    }
  }

  async copy(from: string, to: string): Promise<void> {
    checkKey(to);
    const found = await this.stat(from);
    if (!found) throw new BlobMissing(from);
    const { sizeBytes } = found;
    await this.ask(() => copyWithin(this.slowClient, this.settings.bucket, { from, to, sizeBytes }), { key: from });
    if ((await this.stat(to))?.sizeBytes !== sizeBytes)
      throw new BlobStoreUnavailable('The copy has another size than the original');
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await this.ask(() => this.client.removeObject(this.settings.bucket, key), { key }).catch((error: unknown) => {
      if (!(error instanceof BlobMissing)) throw error;
    });
  }

  async check(): Promise<void> {
    const { bucket } = this.settings;
    const exists = await this.ask(() => this.client.bucketExists(bucket));
    if (!exists) throw new BlobStoreUnavailable(`Bucket ${bucket} does not exist`);
  }

  async *list(folder?: string): AsyncGenerator<StoredBlob> {
    const prefix = folder === undefined ? '' : `${folder}/`;
    try {
      for await (const { name, lastModified } of this.client.listObjectsV2(this.settings.bucket, prefix, true)) {
        yield { key: name as string, modifiedAt: lastModified as Date };
      }
    } catch (error) {
      throw toStoreError(error, {});
    }
  }

  /** Does nothing: buckets have no folders. */
  async removeFolder(): Promise<void> {}

  async beginMultipart(key: string): Promise<string> {
    checkKey(key);
    return this.ask(() => this.client.initiateNewMultipartUpload(this.settings.bucket, key, {}));
  }

  async putPart(key: string, uploadId: string, part: Omit<Part, 'etag'>, content: Readable): Promise<string> {
    checkKey(key);
    checkUploadId(uploadId);
    const { partNumber, sizeBytes } = part;
    const request = await this.signedRequest('PUT', key, { uploadId, partNumber: String(partNumber) }, sizeBytes);
    const { etag } = await sendTo(request, content, { sizeBytes, uploadId });
    if (!etag) throw new BlobStoreUnavailable('The store returned no ETag for a part');
    return etag;
  }

  async listParts(key: string, uploadId: string): Promise<Part[]> {
    checkKey(key);
    checkUploadId(uploadId);
    const parts = await this.ask(() => this.listedParts(key, uploadId), { uploadId });
    return parts.map(({ part, etag, size }) => ({ partNumber: part, etag, sizeBytes: size }));
  }

  /**
   * Checks the parts first. Stores differ in their answer for a completed upload (some accept any parts), and none names the wrong
   * part.
   */
  async completeMultipart(key: string, uploadId: string, parts: Pick<Part, 'partNumber' | 'etag'>[]): Promise<string> {
    const [blob, listed] = await Promise.all([this.stat(key), this.listParts(key, uploadId)]);
    if (blob) throw new UploadMissing(uploadId);
    const etags = new Map(listed.map(({ partNumber, etag }) => [partNumber, etag]));
    const wrong = parts.find(({ partNumber, etag }) => etags.get(partNumber) !== etag);
    if (wrong || parts.length === 0) throw new PartMismatch(wrong?.partNumber);
    const named = parts.map(({ partNumber, etag }) => ({ part: partNumber, etag }));
    const { etag } = await this.ask(() => this.slowClient.completeMultipartUpload(this.settings.bucket, key, uploadId, named), {
      uploadId,
    });
    return etag.replaceAll('"', '');
  }

  /** Checks that the upload is open, since some stores would remove the parts of a completed blob. */
  async abortMultipart(key: string, uploadId: string): Promise<void> {
    checkKey(key);
    try {
      checkUploadId(uploadId);
      if (await this.stat(key)) return;
      // Signed here, since the SDK does not escape the upload id in its own call.
      await sendTo(await this.signedRequest('DELETE', key, { uploadId }), Readable.from([]), { sizeBytes: 0, uploadId });
    } catch (error) {
      if (!(error instanceof UploadMissing)) throw error;
    }
  }

  async presignedPartUrl(
    key: string,
    uploadId: string,
    partNumber: number,
    expiresInSeconds: number,
  ): Promise<string | undefined> {
    checkKey(key);
    const query = { uploadId, partNumber: String(partNumber) };
    return this.publicUrl('PUT', key, expiresInSeconds, query);
  }

  async presignedDownloadUrl(key: string, presentation: Presentation): Promise<string | undefined> {
    checkKey(key);
    const { method, expiresInSeconds, contentType, cacheControl, disposition } = presentation;
    return this.publicUrl(method, key, expiresInSeconds, {
      'response-content-type': contentType,
      'response-cache-control': cacheControl,
      ...(disposition !== null && { 'response-content-disposition': disposition }),
    });
  }

  /** Returns a presigned URL, or undefined if it would expire too early. The content then passes through this server. */
  private async publicUrl(
    method: 'GET' | 'HEAD' | 'PUT',
    key: string,
    expiresInSeconds: number,
    query: Record<string, string>,
  ): Promise<string | undefined> {
    const { publicSigner } = this;
    const seconds = lifetime(expiresInSeconds);
    if (!publicSigner) return undefined;
    return this.ask(async () => {
      if (this.role && !(await this.role.lastFor(seconds))) return undefined;
      return publicSigner.presignedUrl(method, this.settings.bucket, key, seconds, query);
    });
  }

  private async signedRequest(
    method: 'PUT' | 'DELETE',
    key: string,
    query: Record<string, string>,
    sizeBytes = 0,
  ): Promise<ClientRequest> {
    const address = await this.ask(() => this.client.presignedUrl(method, this.settings.bucket, key, OWN_REQUEST_SECONDS, query));
    return this.http.request(address, { method, headers: { 'content-length': sizeBytes } }, this.timeouts.dataMs);
  }

  /** Lists the parts of all pages. */
  private listedParts(key: string, uploadId: string): Promise<{ part: number; etag: string; size: number }[]> {
    // `listParts` exists in every version of the SDK, but not in its types.
    const client = this.client as unknown as { listParts(...ids: string[]): ReturnType<MinioBlobStore['listedParts']> };
    return client.listParts(this.settings.bucket, key, uploadId);
  }

  private async ask<T>(call: () => Promise<T>, about: { key?: string; uploadId?: string } = {}): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw toStoreError(error, about);
    }
  }

  private clientOf(endpoint: string, silenceMs: number): Client {
    const { protocol, hostname, port } = new URL(endpoint);
    const { accessKey, secretKey, region, addressing } = this.settings;
    return new Client({
      endPoint: hostname.replace(/^\[|\]$/g, ''),
      useSSL: protocol === 'https:',
      ...(port !== '' && { port: Number(port) }),
      ...(this.role ? { credentialsProvider: this.role.provider } : { accessKey, secretKey }),
      pathStyle: addressing !== 'host',
      region, // so that signing needs no request
      transport: this.http.transport(silenceMs),
      retryOptions: { disableRetry: true },
    });
  }
}

async function sendTo(
  request: ClientRequest,
  content: Readable,
  about: { sizeBytes: number; uploadId?: string },
): Promise<Answer> {
  try {
    return await send(request, content, about.sizeBytes);
  } catch (error) {
    throw error instanceof ContentBroke ? error.reason : toStoreError(error, about);
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof BlobStoreUnavailable && error.options.cause instanceof StoreSilent;

/** Rounds down to at least 1 s, since the SDK reads 0 as seven days. */
const lifetime = (expiresInSeconds: number): number => Math.max(1, Math.floor(expiresInSeconds));
