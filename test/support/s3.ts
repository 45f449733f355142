import { randomBytes } from 'node:crypto';
import { createServer, type Server, Socket, connect } from 'node:net';
import { Client } from 'minio';
import type { MinioSettings } from '../../src/common/config/settings/store-settings.js';
import { freePort } from '../nodes/free-port.mjs';
import { needing, SERVICE } from './needs.js';

const { TEST_S3_ENDPOINT, TEST_S3_ACCESS_KEY = '', TEST_S3_SECRET_KEY = '' } = process.env;

/** Requires the real S3 server at TEST_S3_ENDPOINT. */
export const describeOnS3 = (name: string, tests: () => void): void => needing(SERVICE.s3).describe(name, tests);

/** Settings for a new bucket name; the bucket does not exist. */
export function freshBucket(
  endpoint = TEST_S3_ENDPOINT ?? 'http://127.0.0.1:9',
): MinioSettings & { accessKey: string; secretKey: string } {
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  return { endpoint, accessKey: TEST_S3_ACCESS_KEY, secretKey: TEST_S3_SECRET_KEY, bucket, region: 'us-east-1' };
}

/** Creates another client of the bucket. */
export class TestBucket {
  private readonly client: Client;
  private readonly bucket: string;

  constructor({ bucket, accessKey, secretKey, region }: MinioSettings) {
    const { hostname, port } = new URL(TEST_S3_ENDPOINT!);
    this.bucket = bucket;
    this.client = new Client({ endPoint: hostname, port: Number(port || 80), useSSL: false, accessKey, secretKey, region });
  }

  create = (): Promise<void> => this.client.makeBucket(this.bucket, '');

  async text(key: string): Promise<string> {
    return (await (await this.client.getObject(this.bucket, key)).toArray()).map(String).join('');
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { name } of this.client.listObjectsV2(this.bucket, '', true)) keys.push(name);
    return keys;
  }

  /** Returns the number of blobs and of parts of open uploads. */
  async count(): Promise<number> {
    let count = (await this.keys()).length;
    for (const { key, uploadId } of await this.uploads()) count += (await this.parts(key, uploadId)).length;
    return count;
  }

  async remove(): Promise<void> {
    for (const key of await this.keys()) await this.client.removeObject(this.bucket, key);
    for (const { key, uploadId } of await this.uploads()) await this.client.abortMultipartUpload(this.bucket, key, uploadId);
    await this.client.removeBucket(this.bucket);
  }

  private async uploads(): Promise<{ key: string; uploadId: string }[]> {
    const uploads: { key: string; uploadId: string }[] = [];
    for await (const upload of this.client.listIncompleteUploads(this.bucket, '', true)) {
      uploads.push({ key: upload.key, uploadId: upload.uploadId });
    }
    return uploads;
  }

  private parts(key: string, uploadId: string): Promise<unknown[]> {
    return (this.client as any).listParts(this.bucket, key, uploadId);
  }
}

type Verdict = 'pass' | 'swallow' | 'cut';

/** A proxy that can disturb traffic: everything passes until a rule says otherwise. */
export class FaultyProxy {
  /** Verdict on each chunk to the server. A swallowed chunk never arrives, and neither end learns of it. */
  toStore: (bytes: Buffer) => Verdict = () => 'pass';
  /** Verdict on each chunk from the server. */
  fromStore: (bytes: Buffer) => Verdict = () => 'pass';
  /** Awaited after each chunk to the server, to slow the traffic down. */
  pace?: () => Promise<void>;
  /** Whether the server sees that a client has closed its side. */
  tellsEnds = true;
  /** Whether responses are lost. A connection that lost one carries no more. */
  losesAnswers = false;
  private readonly sockets = new Set<Socket>();
  private server: Server;

  private constructor(
    private port: number,
    private readonly ownPort: number,
  ) {}

  static async to(endpoint: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(Number(new URL(endpoint).port || 80), await freePort());
    proxy.server = createServer((client) => proxy.join(client, connect(proxy.port, new URL(endpoint).hostname)));
    await proxy.open();
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.ownPort}`;
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.ownPort, '127.0.0.1', resolve));
    this.toStore = this.fromStore = () => 'pass';
  }

  /** Connects new clients to another server of the same host; open connections stay. */
  lead(port: number): void {
    this.port = port;
  }

  /** Cuts open connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Swallows everything in both directions from now on; new connections are still accepted. */
  swallow(): void {
    this.toStore = this.fromStore = () => 'swallow';
  }

  pass(): void {
    this.toStore = this.fromStore = () => 'pass';
    this.pace = undefined;
    this.tellsEnds = true;
    this.losesAnswers = false;
  }

  /** Disconnects clients from the server without telling it, like a network that drops packets. */
  cutOff(): void {
    this.tellsEnds = false;
    this.swallow();
  }

  /** Stops listening and cuts open connections. */
  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, store: Socket): void {
    const cut = () => {
      client.resetAndDestroy();
      store.resetAndDestroy();
    };
    let isLost = false;
    const answer = (bytes: Buffer): Verdict => {
      isLost ||= this.losesAnswers;
      return isLost ? 'swallow' : this.fromStore(bytes);
    };
    const pass = (from: Socket, to: Socket, verdict: (bytes: Buffer) => Verdict) => {
      this.sockets.add(from);
      from.on('close', () => this.sockets.delete(from));
      from.on('error', () => (this.tellsEnds ? cut() : from.destroy()));
      from.on('end', () => this.tellsEnds && to.end());
      from.on('data', (bytes) => {
        const what = verdict(bytes);
        if (what === 'cut') cut();
        if (what === 'pass' && !to.write(bytes)) {
          from.pause();
          to.once('drain', () => from.resume());
        } else if (to === store && what === 'pass' && this.pace) {
          from.pause();
          void this.pace().then(() => from.resume());
        }
      });
    };
    pass(client, store, (bytes) => this.toStore(bytes));
    pass(store, client, answer);
  }
}
