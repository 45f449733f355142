export { OnPlatformEvent, PlatformEvents } from './platform-events.js';
export { PlatformHealthIndicator } from './platform-health.js';
export { type PlatformAsyncOptions, PlatformModule } from './platform.module.js';
export { InjectPlatform, PLATFORM, type PlatformOptions } from './tokens.js';
export { VerifiedWebhook, WebhookEvent } from './verified-webhook.js';
