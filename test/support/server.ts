import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { createApp } from '../../src/app.js';
import { ApiKeysService } from '../../src/common/auth/api-keys.service.js';
import { ADMIN_TENANT } from '../../src/common/tenants/tenant-names.js';
import { ALL_SCOPES, type Service } from '../../src/common/auth/scopes.js';
import { Config } from '../../src/common/config/config.js';
import { createLogger } from '../../src/common/logging/logger.js';
import { BlobStore } from '../../src/modules/file-management/blob-store/blob-store.js';
import { Api } from './api.js';
import { createDatabase, storeSettings } from './databases.js';
import { dataFolder } from './folders.js';

export type Settings = Record<string, string>;

const ADMIN_SCOPE = 'admin-api:query:* admin-api:mutation:*';
/** Scope of an operator who also reads the admin log. */
export const AUDITING_ADMIN_SCOPE = `${ADMIN_SCOPE} document-log-api:query:*`;

/** The real application in this process, with a database and a folder of its own. */
export class TestServer {
  /** Tenant name of each key. */
  private readonly tenantNames = new Map<string, string>();

  private constructor(
    readonly app: Awaited<ReturnType<typeof createApp>>,
    readonly dataDir: string,
    readonly settings: Settings,
    /** Log lines so far, a JSON object each. */
    readonly logLines: string[],
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start(settings: Settings = {}): Promise<TestServer> {
    const database = await createDatabase();
    const dataDir = settings.DATA_DIR ?? dataFolder();
    const all = {
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      SECRET_KEY: randomUUID(),
      DATA_DIR: dataDir,
      ...database.settings(dataDir),
      ...storeSettings(),
      ...settings,
    };
    const lines: string[] = [];
    const sink = new Writable({
      write: (chunk: Buffer, _, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    const config = Config.read(all);
    const app = await createApp(config, createLogger(config, sink));
    await app.listen(config.port, config.host);
    return new TestServer(app, dataDir, all, lines, async () => {
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    });
  }

  get address(): string {
    const { port } = this.app.getHttpServer().address() as AddressInfo;
    return `http://localhost:${port}`;
  }

  /** Resolves once all services are ready. A busy machine may take longer to start the first renderer than a check may take. */
  async ready(): Promise<void> {
    const status = async () => ((await (await fetch(`${this.address}/health/ready`)).json()) as { status: string }).status;
    while ((await status()) !== 'ok') await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Returns the contents of the blob store. */
  async blobKeys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.app.get(BlobStore, { strict: false }).list()) keys.push(key);
    return keys;
  }

  /** Returns a key of a tenant; without a tenant, of a new one. */
  async createKey(
    scope: string = ALL_SCOPES,
    tenant: string = `tenant-${randomUUID()}`,
    expiresInSeconds?: number,
  ): Promise<string> {
    const key = await this.app.get(ApiKeysService).create({ tenant, scope, expiresInSeconds });
    this.tenantNames.set(key, tenant);
    return key;
  }

  /** Returns a key with all admin scopes. */
  createAdminKey(scope = ADMIN_SCOPE): Promise<string> {
    return this.createKey(scope, ADMIN_TENANT);
  }

  /** Returns a service as seen by the owner of a key; by default a new tenant with all scopes, or an admin. */
  async api(service: Service, key?: string): Promise<Api> {
    return new Api(this.address, service, key ?? (await (service === 'admin' ? this.createAdminKey() : this.createKey())));
  }

  /** Returns the id of the tenant of an API, as administration reports it. */
  async tenantIdOf({ key }: Api): Promise<string> {
    const query = 'query($name:String){tenants(name:$name){items{id}}}';
    const { tenants } = await (await this.api('admin')).ask(query, { name: this.tenantNames.get(key!) });
    return tenants.items[0].id;
  }

  /** Suspends the tenant of an API. Resolves once its calls are refused. */
  async suspend(api: Api): Promise<void> {
    await (await this.api('admin')).ask('mutation($id:ID!){suspendTenant(id:$id){id}}', { id: await this.tenantIdOf(api) });
    while (!(await api.send('{version}')).errors) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Resumes the tenant of an API. */
  async resume(api: Api): Promise<void> {
    await (await this.api('admin')).ask('mutation($id:ID!){resumeTenant(id:$id){id}}', { id: await this.tenantIdOf(api) });
  }

  /** Stops the application, then removes its data. Returns the milliseconds that the stop took. */
  async stop(): Promise<number> {
    const began = Date.now();
    await this.app.close();
    const tookMs = Date.now() - began;
    await this.cleanUp();
    return tookMs;
  }
}
