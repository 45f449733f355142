import {
  Controller,
  type DynamicModule,
  type FactoryProvider,
  HttpCode,
  type HttpServer,
  Inject,
  Module,
  type ModuleMetadata,
  type NestModule,
  Post,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { DiscoveryModule, HttpAdapterHost } from '@nestjs/core';
import { createClient, type PlatformEvent } from '@platform-services/client';
import { PlatformEvents } from './platform-events.js';
import { PlatformHealthIndicator } from './platform-health.js';
import { PLATFORM, PLATFORM_OPTIONS, type PlatformOptions } from './tokens.js';
import { VerifiedWebhook, WebhookEvent } from './verified-webhook.js';

const EVENT_TYPE = 'application/cloudevents+json';
const MOST_EVENT_BYTES = 1_048_576;

interface Route {
  /** Path of a POST route that receives webhooks and calls the methods with `@OnPlatformEvent`. Without it, there is no route. */
  webhookPath?: string;
}

interface FastifyParsers {
  hasContentTypeParser(type: string): boolean;
}

/** Options from a factory, for example with `ConfigService`. */
export interface PlatformAsyncOptions extends Route, Pick<ModuleMetadata, 'imports'> {
  inject?: FactoryProvider['inject'];
  // eslint-disable-next-line typescript/no-explicit-any -- as in FactoryProvider: the injected values have any type
  useFactory: (...injected: any[]) => PlatformOptions | Promise<PlatformOptions>;
}

/** Global module with the client of platform-services. */
@Module({})
export class PlatformModule implements NestModule {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  /** Keeps the bytes of events, which their signatures cover. The parsers of NestJS read no events. */
  configure(): void {
    const httpAdapter: HttpServer & { getType(): string } = this.host.httpAdapter;
    if (httpAdapter.getType() === 'express') {
      httpAdapter.useBodyParser?.('raw', true, { type: EVENT_TYPE, limit: MOST_EVENT_BYTES });
    } else if (!(httpAdapter.getInstance() as FastifyParsers).hasContentTypeParser(EVENT_TYPE)) {
      httpAdapter.useBodyParser?.(EVENT_TYPE, true, { bodyLimit: MOST_EVENT_BYTES });
    }
  }

  static forRoot({ webhookPath, ...options }: PlatformOptions & Route): DynamicModule {
    return PlatformModule.forRootAsync({ ...(webhookPath !== undefined && { webhookPath }), useFactory: () => options });
  }

  static forRootAsync({ imports = [], inject = [], useFactory, webhookPath }: PlatformAsyncOptions): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [DiscoveryModule, ...imports],
      controllers: webhookPath === undefined ? [] : [receiverAt(webhookPath)],
      providers: [
        { provide: PLATFORM_OPTIONS, inject, useFactory },
        { provide: PLATFORM, inject: [PLATFORM_OPTIONS], useFactory: createClient },
        PlatformEvents,
        PlatformHealthIndicator,
        VerifiedWebhook,
      ],
      exports: [PLATFORM, PLATFORM_OPTIONS, PlatformEvents, PlatformHealthIndicator, VerifiedWebhook],
    };
  }
}

function receiverAt(path: string): Type {
  @Controller(path)
  class PlatformWebhookController {
    constructor(@Inject(PlatformEvents) private readonly events: PlatformEvents) {}

    @Post()
    @HttpCode(204)
    @UseGuards(VerifiedWebhook)
    receive(@WebhookEvent() event: PlatformEvent): Promise<void> {
      return this.events.dispatch(event);
    }
  }
  return PlatformWebhookController;
}
