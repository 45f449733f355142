import { Inject } from '@nestjs/common';
import type { ClientOptions } from '@platform-services/client';

/** Injection token of the client. */
export const PLATFORM = Symbol.for('@platform-services/nestjs client');
/** Injection token of the options. */
export const PLATFORM_OPTIONS = Symbol.for('@platform-services/nestjs options');

/** Options of the client, and secrets for webhooks. */
export interface PlatformOptions extends ClientOptions {
  /** Secrets from `createWebhook`: one for each webhook that calls this application, and old ones while they are replaced. */
  webhookSecrets?: string | readonly string[];
}

/** Injects the client into a constructor. Its type is `Client` of `@platform-services/client`. */
export const InjectPlatform = (): ParameterDecorator & PropertyDecorator => Inject(PLATFORM);
