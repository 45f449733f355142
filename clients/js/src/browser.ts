import { type PartsTarget, uploadBlob, type UploadOptions } from './parts.js';
import { sendFromPage } from './transfer.js';

/**
 * Uploads from a page, without a key. The target is an `uploadUrl`, a function that returns a new one per attempt, or a PartsTarget,
 * whose parts are sent in parallel and resumed by calling again. Returns the ETag, or the result of `complete`.
 * @throws PlatformError for a refusal, or the reason of the signal
 */
export function upload(source: Blob, target: string | (() => Promise<string>), options?: UploadOptions): Promise<string>;
export function upload<R>(source: Blob, target: PartsTarget<R>, options?: UploadOptions): Promise<R>;
export function upload(
  source: Blob,
  target: string | (() => Promise<string>) | PartsTarget,
  options: UploadOptions = {},
): Promise<unknown> {
  return uploadBlob(sendFromPage, source, target, options);
}

/** Returns the SHA-256 of content that fits in memory, in hex: pass it to your server as `checksumSha256` of the file. */
export async function sha256(source: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await source.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export { connect, type ConnectOptions, type Connection, type State } from './connect.js';
export { download, type Download, type DownloadOptions } from './download.js';
export * from './errors.js';
export type { InboxMark, Message, Presence } from './frames.js';
export type { ArrivedPart, PartsOptions, PartsTarget, UploadOptions } from './parts.js';
export type { Progress, TransferOptions } from './transfer.js';
