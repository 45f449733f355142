import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { Logger } from '../../../common/logging/logger.js';
import { type BlobStore, BlobStoreUnavailable } from './blob-store.js';
import { StoreRefused, StoreSilent } from './s3/store-http.js';

const RETRY_MS = 5_000;
const UNREACHABLE = new Set(
  'ECONNREFUSED ECONNRESET ETIMEDOUT EPIPE EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTFOUND EAI_AGAIN'.split(' '),
);

/**
 * Prepares the store at startup. A node whose store is unreachable starts anyway, serves other requests, and retries. A command,
 * which has no logger, fails at once.
 */
@Injectable()
export class StorePreparation implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(@Optional() private readonly logger?: Logger) {}

  /** @throws the error of a store that refuses the call, since a wrong key or bucket needs a change of settings */
  async prepare(store: BlobStore): Promise<void> {
    try {
      await store.prepare();
    } catch (error) {
      if (!this.logger || !isUnreachable(error)) throw error;
      this.logger.warn({ err: error }, 'the store at S3_ENDPOINT is unreachable: uploads and downloads fail until it responds');
      this.later(store);
    }
  }

  private later(store: BlobStore): void {
    this.timer = setTimeout(() => {
      store.prepare().then(
        () => this.logger?.info('the store at S3_ENDPOINT is reachable and prepared'),
        (error: unknown) => {
          if (!isUnreachable(error)) this.logger?.error({ err: error }, 'S3_ENDPOINT names a store that cannot be used');
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

/** Returns true if the store is unreachable or overloaded; false if it refused, such as for a wrong key. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof BlobStoreUnavailable)) return false;
  const { cause } = error.options;
  if (cause instanceof StoreRefused) return cause.status >= 500 || cause.status === 429 || cause.status === 408;
  return cause instanceof StoreSilent || UNREACHABLE.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
}
