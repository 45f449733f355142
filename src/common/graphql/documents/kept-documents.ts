import type { ApolloServerOptions } from '@apollo/server';
import { Injectable } from '@nestjs/common';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Service } from '../../auth/scopes.js';

type DocumentStore = NonNullable<ApolloServerOptions<object>['documentStore']>;

/** Capacity in characters of source. Each takes about 90 bytes of memory once parsed. */
const MAX_KEPT = 256 * 1024;
const LONGEST_KEPT = 16 * 1024;
const HASH_LENGTH = 64;

/**
 * Caches recently parsed and validated documents of all services, so that repeated documents are served faster. Apollo's own store
 * counts 30 MiB of JSON per service, which is four times as much in memory.
 */
@Injectable()
export class KeptDocuments {
  private readonly documents = new LRUCache<string, DocumentNode>({ maxSize: MAX_KEPT, maxEntrySize: LONGEST_KEPT });

  /** Creates the store of one service in Apollo's format. Apollo's keys end with the hash of the document. */
  storeOf(service: Service): DocumentStore {
    const own = (key: string): string => keyOf(service, key.slice(-HASH_LENGTH));
    return {
      get: (key) => this.get(own(key)),
      set: (key, document) => this.set(own(key), document),
      delete: (key) => this.delete(own(key)),
    };
  }

  /** Returns a cached document of a service, by the SHA-256 of its text in hexadecimal. */
  find(service: Service, documentHash: string): DocumentNode | undefined {
    return this.documents.get(keyOf(service, documentHash));
  }

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

const keyOf = (service: Service, documentHash: string): string => `${service} ${documentHash}`;
