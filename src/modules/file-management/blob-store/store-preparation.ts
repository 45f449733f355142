import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { type BlobStore, BlobStoreUnavailable } from './blob-store.js';
import { StoreRefused, StoreSilent } from './s3/store-http.js';

const RETRY_MS = 5_000;
const AWAY = new Set(
  'ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);

/**
 * Prepares the store at the start. If the store is unreachable, a node starts all the same, serves requests that do not need it,
 * and retries. A command, which has no log, fails at once.
 */
@Injectable()
export class StorePreparation implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(@Optional() private readonly logger?: Logger) {}

  /** @throws the error of a store that answers but refuses, since a wrong key or bucket stays wrong until a setting changes */
  async prepare(store: BlobStore): Promise<void> {
    try {
      await store.prepare();
    } catch (error) {
      if (!this.logger || !isAway(error)) throw error;
      this.logger.warn({ err: error }, 'the store at MINIO_ENDPOINT is unavailable: files are refused until it answers');
      this.later(store);
    }
  }

  private later(store: BlobStore): void {
    this.timer = setTimeout(() => {
      store.prepare().then(
        () => this.logger?.info('the store at MINIO_ENDPOINT has answered and is prepared'),
        (error: unknown) => {
          if (!isAway(error)) this.logger?.error({ err: error }, 'MINIO_ENDPOINT names a store that cannot be used');
          if (this.timer) this.later(store);
        },
      );
    }, RETRY_MS).unref();
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** Whether the store is unreachable or overloaded, in contrast to a refusal such as for a wrong key. */
function isAway(error: unknown): boolean {
  if (!(error instanceof BlobStoreUnavailable)) return false;
  const { cause } = error.options;
  if (cause instanceof StoreRefused) return cause.status >= 500 || cause.status === 429 || cause.status === 408;
  return cause instanceof StoreSilent || AWAY.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
