import { Inject, Injectable } from '@nestjs/common';
import { type Client, ForbiddenError } from '@platform-services/client';
import { PLATFORM } from './tokens.js';

const ANSWER_MS = 5_000;

/** Health indicator in the format of `@nestjs/terminus`. */
@Injectable()
export class PlatformHealthIndicator {
  constructor(@Inject(PLATFORM) private readonly client: Client) {}

  /** Checks that the server answers the key within 5 s. A key without query entries of File Management is accepted. */
  async isHealthy<K extends string = 'platform'>(
    key = 'platform' as K,
  ): Promise<Record<K, { status: 'up' | 'down'; message?: string }>> {
    try {
      await this.client.request('file-management', '{ version }', {}, { signal: AbortSignal.timeout(ANSWER_MS) });
    } catch (error) {
      if (!(error instanceof ForbiddenError)) return result(key, { status: 'down', message: (error as Error).message });
    }
    return result(key, { status: 'up' });
  }
}

const result = <K extends string, R>(key: K, found: R): Record<K, R> => ({ [key]: found }) as Record<K, R>;
