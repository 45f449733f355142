import { clientOf, type EdgeClient } from './client.js';
import { edgeFilesOf } from './edge-files.js';
import { type ClientOptions, Transport } from './transport.js';

/** Creates a client on `fetch` and Web Crypto alone. It holds no connection, so there is nothing to close. */
export function createClient(options: ClientOptions): EdgeClient {
  return clientOf(new Transport(options), edgeFilesOf);
}

export type { EdgeClient, EdgeClient as Client, TypedDocument } from './client.js';
export type { EventName, ServiceName } from './generated/services.js';
export * from './browser.js';
export { audit, type AuditSubject, LogWriter, type LogWriterOptions } from './log.js';
export type { FileUploadOptions, UploadHandle } from './node/files.js';
export type { UploadSource } from './node/source.js';
export type { StoredFile } from './stored-files.js';
export type { CallOptions, ClientOptions } from './transport.js';
export * from './webhooks.js';
