import { Injectable } from '@nestjs/common';
import { missingEntry } from '../../../common/auth/scopes.js';
import { AppError, badInput } from '../../../common/base/app-error.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { type Signer, Signing } from '../../../common/signing/signer.js';
import type { IdsOrFolder } from '../files/file.inputs.js';
import { type File, FileStatus } from '../models/file.model.js';
import { DEFAULT_DOWNLOAD_SECONDS, DEFAULT_UPLOAD_SECONDS, MAX_URL_SECONDS } from '../models/limits.js';

export const CONTENT_PATH = '/file-management/files';
/** Path of archives. Never collides with a file id. */
const ARCHIVE_PATH = `${CONTENT_PATH}/archive`;

/** Query parameters of a signed URL. */
export interface UrlSignature {
  expires?: string;
  signature?: string;
}

/** Signed request; the first element is its kind. GET permits HEAD too. */
type SignedFor = ['GET' | 'PUT', id: string] | ['PART', fileId: string, uploadId: string, partNumber: string] | SignedArchive;
type SignedArchive = ['ARCHIVE', tenantId: string, kind: 'ids' | 'folder', selected: string];

export interface PartAddress {
  fileId: string;
  uploadId: string;
  partNumber: number;
}

/** Signs and verifies URLs of uploads and downloads. */
@Injectable()
export class FileUrls {
  private readonly signer: Signer;

  constructor(
    signing: Signing,
    private readonly address: PublicAddress,
  ) {
    this.signer = signing.for('file-url');
  }

  /** Returns the download URL, or null for a file without content. Public files have a permanent, unsigned URL. */
  downloadUrl(file: File, expiresIn: number | null | undefined): string | null {
    const seconds = checkLifetime(expiresIn, DEFAULT_DOWNLOAD_SECONDS);
    if (!file.uploaded) return null;
    return file.public ? this.plain(file.id) : this.signed(['GET', file.id], this.plain(file.id), seconds);
  }

  /** Returns the upload URL, or null for an expired file or a scope without write access. Anyone with the URL can replace the content. */
  uploadUrl(file: File, expiresIn: number | null | undefined, scope: ReadonlySet<string>): string | null {
    const seconds = checkLifetime(expiresIn, DEFAULT_UPLOAD_SECONDS);
    if (file.status === FileStatus.expired || !mayWrite(scope)) return null;
    return this.signed(['PUT', file.id], this.plain(file.id), seconds);
  }

  /** Verifies a signature. @throws FORBIDDEN for a wrong signature, another use or an expired URL */
  check(bound: SignedFor, { expires = '', signature = '' }: UrlSignature): void {
    if (typeof signature !== 'string' || typeof expires !== 'string' || !this.signer.verify(signature, ...bound, expires)) {
      throw new AppError('FORBIDDEN', `The URL is not valid for ${bound[0]}; request a new one from the API`);
    }
    if (Number(expires) * 1000 <= Date.now()) {
      throw new AppError('FORBIDDEN', 'The URL has expired; request a new one from the API');
    }
  }

  archiveUrl(tenantId: string, selection: IdsOrFolder, expiresIn: number | null | undefined): string {
    const seconds = checkLifetime(expiresIn, DEFAULT_DOWNLOAD_SECONDS);
    const bound = archiveOf(tenantId, selection);
    const query = new URLSearchParams({ tenant: tenantId, [bound[2]]: bound[3] });
    return this.signed(bound, `${this.address.files}${ARCHIVE_PATH}?${query.toString()}`, seconds);
  }

  /** Verifies the signature of an archive URL. @throws the errors of `check` */
  checkArchive(tenantId: string, selection: IdsOrFolder, url: UrlSignature): void {
    this.check(archiveOf(tenantId, selection), url);
  }

  /** Returns the URL of a part that passes through this server. */
  partUrl({ fileId, uploadId, partNumber }: PartAddress, seconds: number): string {
    const bound: SignedFor = ['PART', fileId, uploadId, String(partNumber)];
    return this.signed(bound, `${this.plain(fileId)}/parts/${uploadId}/${partNumber}`, seconds);
  }

  private plain(id: string): string {
    return `${this.address.files}${CONTENT_PATH}/${id}`;
  }

  private signed(bound: SignedFor, url: string, seconds: number): string {
    const expires = String(Math.floor(Date.now() / 1000) + seconds);
    return `${url}${url.includes('?') ? '&' : '?'}expires=${expires}&signature=${this.signer.sign(...bound, expires)}`;
  }
}

const archiveOf = (tenantId: string, { ids, folder }: IdsOrFolder): SignedArchive =>
  ids ? ['ARCHIVE', tenantId, 'ids', ids.join(',')] : ['ARCHIVE', tenantId, 'folder', folder];

function mayWrite(scope: ReadonlySet<string>): boolean {
  return ['createFile', 'updateFile'].some((name) => !missingEntry(scope, 'file-management', 'mutation', name));
}

/** Returns the lifetime of a URL in seconds. @throws BAD_USER_INPUT for a lifetime out of range */
export function checkLifetime(expiresIn: number | null | undefined, fallback: number, field = 'expiresIn'): number {
  if (expiresIn === null || expiresIn === undefined) return fallback;
  if (expiresIn < 1 || expiresIn > MAX_URL_SECONDS) throw badInput(field, `must be from 1 to ${MAX_URL_SECONDS} seconds`);
  return expiresIn;
}
