import { z } from 'zod';

/** Maximum number of secrets accepted besides SECRET_KEY. */
export const MAX_OLD_SECRETS = 8;
export const LEAST_SECRET_BYTES = 32;

const isLong = (text: string): boolean => Buffer.byteLength(text) >= LEAST_SECRET_BYTES;

export const secret = z.string().refine(isLong, 'SECRET_KEY must be 32 bytes or more, the same on every node');

export const oldSecrets = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine(
    (secrets) => secrets.length <= MAX_OLD_SECRETS && new Set(secrets).size === secrets.length && secrets.every(isLong),
    `SECRET_KEYS_OLD must be up to ${MAX_OLD_SECRETS} different secrets of 32 bytes or more, separated by commas`,
  );

interface Secrets {
  isPostgres: boolean;
  secretKey?: string;
  secretKeysOld: string[];
}

/** Checks the secrets together. Returns the error message, or undefined. */
export function faultOfSecrets({ isPostgres, secretKey, secretKeysOld }: Secrets): string | undefined {
  if (isPostgres && !secretKey) return 'SECRET_KEY must be set with PostgreSQL: 32 bytes or more, the same on every node';
  const isRepeated = secretKey !== undefined && secretKeysOld.includes(secretKey);
  return isRepeated ? 'SECRET_KEYS_OLD must not contain SECRET_KEY, which signs and is accepted anyway' : undefined;
}

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

/** Checks TESTING_KEY: a server for real users must not be open to tests. Returns the error message, or undefined. */
export function faultOfTesting(settings: Settings, nodeEnv: string | undefined): string | undefined {
  if (settings.testingKey === undefined) return undefined;
  if (nodeEnv === 'production') return 'TESTING_KEY must not be set where NODE_ENV is production; set NODE_ENV to test';
  const shared = [
    settings.isPostgres && 'DATABASE_URL of PostgreSQL',
    settings.redis && 'REDIS_URL',
    settings.minio && 'S3_ENDPOINT',
    settings.smtp && 'SMTP_URL',
    settings.workers > 1 && 'WORKERS',
  ].filter(Boolean);
  if (shared.length === 0) return undefined;
  return `TESTING_KEY is for a single process with SQLite, a folder and no mail server; leave out ${shared.join(', ')}`;
}
