import { type DynamicModule, Inject, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { type Platform, type PlatformOptions as TestingOptions, startPlatform, type Tenant } from '@platform-services/testing';
import { PlatformModule } from './platform.module.js';

const STARTED = Symbol('platform-services server for tests');
/** Injection token of the tenant. */
export const TENANT = Symbol.for('@platform-services/nestjs tenant');

/** Injects the tenant of the test. */
export const InjectTenant = (): ParameterDecorator & PropertyDecorator => Inject(TENANT);

@Injectable()
class ServerStop implements OnModuleDestroy {
  constructor(@Inject(STARTED) private readonly platform: Platform) {}

  async onModuleDestroy(): Promise<void> {
    await this.platform.stop();
  }
}

@Module({})
class TestServerModule {
  static with(options: TestingOptions): DynamicModule {
    return {
      module: TestServerModule,
      providers: [
        { provide: STARTED, useFactory: () => startPlatform(options) },
        { provide: TENANT, inject: [STARTED], useFactory: (platform: Platform) => platform.newTenant() },
        ServerStop,
      ],
      exports: [TENANT],
    };
  }
}

/** Takes the place of `PlatformModule` in a test: the client calls a tenant of its own on a server, which `close()` of the module leaves. */
@Module({})
export class PlatformTestingModule {
  static forRoot({
    server = {},
    ...more
  }: { server?: TestingOptions; webhookPath?: string; webhookSecrets?: string[] } = {}): DynamicModule {
    const started = TestServerModule.with(server);
    const { webhookPath, webhookSecrets } = more;
    const platform = PlatformModule.forRootAsync({
      imports: [started],
      inject: [TENANT],
      useFactory: (tenant: Tenant) => ({ url: tenant.address, key: tenant.key, ...(webhookSecrets && { webhookSecrets }) }),
      ...(webhookPath !== undefined && { webhookPath }),
    });
    return { module: PlatformTestingModule, global: true, imports: [platform, started], exports: [platform, started] };
  }
}

export type { Tenant } from '@platform-services/testing';
