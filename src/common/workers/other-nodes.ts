import { setTimeout } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Logger } from '../logging/logger.js';
import { type Lease, Leases } from './leases.js';

const LOOKS = 5;
const BETWEEN_LOOKS_MS = 1_000;

/**
 * Logs a warning on a node without a bus if another node works on its database. A dead node leaves leases too; only a live one
 * renews them.
 */
@Injectable()
export class OtherNodes implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly config: Config,
    private readonly leases: Leases,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.redis) return;
    this.look().catch((error: unknown) => {
      if (!this.stopping.signal.aborted) this.logger.warn({ err: error }, 'could not look for other nodes');
    });
  }

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  private async look(): Promise<void> {
    let before = await this.leases.ofOthers();
    for (let looks = 1; looks <= LOOKS; looks++) {
      await setTimeout(BETWEEN_LOOKS_MS, undefined, { signal: this.stopping.signal, ref: false });
      const now = await this.leases.ofOthers();
      if (now.some((lease) => before.some((old) => isRenewal(old, lease)))) return this.warn();
      before = now;
    }
    this.logger.debug('no other node works on this database');
  }

  private warn(): void {
    this.logger.warn(
      'another process serves the same database, and REDIS_URL is not set: a push reaches only recipients connected to the ' +
        'process that it is sent to, and each process counts RATE_LIMIT_PER_MINUTE for itself. Stop one, or set REDIS_URL',
    );
  }
}

function isRenewal(before: Lease, now: Lease): boolean {
  return before.name === now.name && before.holder === now.holder && before.expiresAt < now.expiresAt;
}
