import { isIP } from 'node:net';
import { z } from 'zod';
import { bucketName, origin } from '../setting-rules.js';
import { ConfigError } from './config-error.js';

/** S3 store for file contents, if it is not a folder. */
export interface MinioSettings {
  endpoint: string;
  /** URL of the same store for clients; without it, all contents pass through this process. */
  publicEndpoint?: string;
  /** Undefined: requests are signed with the role of this machine. */
  accessKey?: string;
  secretKey?: string;
  bucket: string;
  region: string;
  /** Position of the bucket in URLs; the path by default. */
  addressing?: 'path' | 'host';
}

/** Settings of the store. Each is also accepted by its earlier name, with MINIO_ in place of S3_. */
export const storeEnvironment = {
  S3_ENDPOINT: origin('S3_ENDPOINT')
    .optional()
    .describe('S3 store for file contents, an http or https URL without a path (none: a folder in DATA_DIR)')
    .meta({ example: 'http://localhost:9000' }),
  S3_PUBLIC_ENDPOINT: origin('S3_PUBLIC_ENDPOINT')
    .optional()
    .describe(
      'URL of the same store for clients, which then transfer large contents directly; another origin than PUBLIC_URL (none: contents ' +
        'pass through this process)',
    )
    .meta({ example: 'https://s3.example.com' }),
  S3_ACCESS_KEY: z.string().optional().describe('access key of the store (none: an AWS role)'),
  S3_SECRET_KEY: z.string().optional().describe('secret key of the store, together with the access key (none: an AWS role)'),
  S3_ADDRESSING: z
    .enum(['path', 'host'], { error: 'S3_ADDRESSING must be path or host' })
    .default('path')
    .describe('position of the bucket in URLs of the store: path (HOST/BUCKET/KEY) or host (BUCKET.HOST/KEY) (path)')
    .meta({ example: 'host' }),
  S3_BUCKET: bucketName.default('platform-services').describe('bucket of the store (platform-services)'),
  S3_REGION: z
    .string()
    .regex(/^[\w-]+$/, 'S3_REGION must be the name of a region, such as us-east-1')
    .default('us-east-1')
    .describe('region for which requests to the store are signed (us-east-1)'),
};

interface StoreEnvironment {
  S3_ENDPOINT?: string;
  S3_PUBLIC_ENDPOINT?: string;
  S3_ACCESS_KEY?: string;
  S3_SECRET_KEY?: string;
  S3_ADDRESSING: 'path' | 'host';
  S3_BUCKET: string;
  S3_REGION: string;
}

/** Returns the settings of the store. @throws ConfigError for conflicting settings */
export function minioSettings(settings: StoreEnvironment): MinioSettings | undefined {
  const { S3_ENDPOINT, S3_PUBLIC_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY, S3_BUCKET, S3_REGION } = settings;
  if (!S3_ENDPOINT) {
    if (S3_PUBLIC_ENDPOINT) throw new ConfigError('S3_ENDPOINT must be set with S3_PUBLIC_ENDPOINT');
    return undefined;
  }
  if (!S3_ACCESS_KEY !== !S3_SECRET_KEY) {
    throw new ConfigError('S3_ACCESS_KEY and S3_SECRET_KEY must be set together; without both, an AWS role is used');
  }
  if (settings.S3_ADDRESSING === 'host' && [S3_ENDPOINT, S3_PUBLIC_ENDPOINT].some(isByAddress)) {
    throw new ConfigError('S3_ADDRESSING must be path if S3_ENDPOINT or S3_PUBLIC_ENDPOINT has an IP address');
  }
  return {
    endpoint: S3_ENDPOINT,
    publicEndpoint: S3_PUBLIC_ENDPOINT,
    accessKey: S3_ACCESS_KEY,
    secretKey: S3_SECRET_KEY,
    bucket: S3_BUCKET,
    region: S3_REGION,
    addressing: settings.S3_ADDRESSING,
  };
}

const isByAddress = (origin: string | undefined): boolean =>
  origin !== undefined && isIP(new URL(origin).hostname.replace(/^\[|\]$/g, '')) !== 0;
