// Room: Streams ZIP archives of files or folders.
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../common/base/app-error.js';
import type { UrlSignature } from '../file-storage/file-urls.js';
import { FileArchivesService } from './file-archives.service.js';

type ArchiveRequest = FastifyRequest<{ Querystring: UrlSignature & { tenant?: unknown; ids?: unknown; folder?: unknown } }>;

/** Answers a GET or HEAD of an archive. */
@Injectable()
export class ArchiveDownloads {
  constructor(private readonly archives: FileArchivesService) {}

  /** @throws FORBIDDEN for a service worker request, or for an invalid signature */
  async answer({ method, headers, query }: ArchiveRequest, reply: FastifyReply): Promise<FastifyReply> {
    if ('service-worker' in headers) throw new AppError('FORBIDDEN', 'An archive cannot be used as a service worker');
    const { tenant, ids, folder } = query;
    const selection = typeof folder === 'string' ? { folder } : { ids: typeof ids === 'string' ? ids.split(',') : [] };
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const archive = await this.archives.open(String(tenant), selection, query, left.signal);
    void reply.header('content-disposition', attachment(archive.name));
    void reply.headers({ 'content-type': 'application/zip', 'cache-control': 'private, no-store' });
    void reply.header('content-length', String(archive.sizeBytes));
    if (method !== 'HEAD') return reply.send(archive.content);
    archive.content.destroy();
    return reply.send();
  }
}

/** Content-Disposition with the name in any script (RFC 6266), and an ASCII fallback for older clients. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
