import { isIP } from 'node:net';
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
