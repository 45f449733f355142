import { type Client, clientOf } from './client.js';
import { filesOf } from './node/files.js';
import { webhooksOf } from './receivers.js';
import { tokensOf } from './tokens.js';
import { type ClientOptions, Transport } from './transport.js';

/** Creates a client. It holds no connection, so there is nothing to close. */
export function createClient(options: ClientOptions): Client {
  const transport = new Transport(options);
  return { ...clientOf(transport, filesOf), webhooks: webhooksOf(transport), tokens: tokensOf(transport) };
}

export type { Client, TypedDocument } from './client.js';
export type { EventName, ServiceName } from './generated/services.js';
export * from './browser.js';
export { audit, type AuditSubject, LogWriter, type LogWriterOptions } from './log.js';
export type { FileUploadOptions, UploadHandle } from './node/files.js';
export type { UploadSource } from './node/source.js';
export {
  type CreatedReceiver,
  type Receiver,
  type ReceiverOptions,
  type ReceiverWebhook,
  type Webhooks,
  WebhooksError,
} from './receivers.js';
export type { StoredFile } from './stored-files.js';
export type { Tokens } from './tokens.js';
export type { CallOptions, ClientOptions } from './transport.js';
export * from './webhooks.js';
