import { z } from 'zod';

export const LEAST_TESTING_KEY = 16;

export const testingKey = z.string().min(LEAST_TESTING_KEY, `TESTING_KEY must have ${LEAST_TESTING_KEY} characters or more`);

interface Settings {
  isPostgres: boolean;
  testingKey?: string;
  workers: number;
  redis?: unknown;
  minio?: unknown;
  smtp?: unknown;
}

/** Returns why TESTING_KEY cannot be used, if it cannot: what serves real users must not be open to tests. */
export function faultOfTesting(settings: Settings, nodeEnv: string | undefined): string | undefined {
  if (settings.testingKey === undefined) return undefined;
  if (nodeEnv === 'production') return 'TESTING_KEY must not be set where NODE_ENV is production; set NODE_ENV to test';
  const shared = [
    settings.isPostgres && 'DATABASE_URL of PostgreSQL',
    settings.redis && 'REDIS_URL',
    settings.minio && 'MINIO_ENDPOINT',
    settings.smtp && 'SMTP_URL',
    settings.workers > 1 && 'WORKERS',
  ].filter(Boolean);
  if (shared.length === 0) return undefined;
  return `TESTING_KEY is for a single process with SQLite, a folder and no mail server; leave out ${shared.join(', ')}`;
}
