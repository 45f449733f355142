import { Injectable } from '@nestjs/common';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** In characters of source; each takes about 90 bytes of memory once parsed. */
const MAX_KEPT = 256 * 1024;
const LONGEST_KEPT = 16 * 1024;

/**
 * Keeps the documents that were last parsed and found valid, for all services together, so that a repeated document is served
 * sooner. Apollo's own store counts 30 MiB of JSON for each service, which is four times as much in memory.
 */
@Injectable()
export class KeptDocuments {
  private readonly documents = new LRUCache<string, DocumentNode>({ maxSize: MAX_KEPT, maxEntrySize: LONGEST_KEPT });

  get(key: string): Promise<DocumentNode | undefined> {
    return Promise.resolve(this.documents.get(key));
  }

  set(key: string, document: DocumentNode): Promise<void> {
    this.documents.set(key, document, { size: Math.max(1, document.loc?.end ?? LONGEST_KEPT) });
    return Promise.resolve();
  }

  delete(key: string): Promise<boolean> {
    return Promise.resolve(this.documents.delete(key));
  }
}
