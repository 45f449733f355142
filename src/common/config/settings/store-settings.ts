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
  MINIO_ENDPOINT?: string;
  MINIO_PUBLIC_ENDPOINT?: string;
  MINIO_ACCESS_KEY?: string;
  MINIO_SECRET_KEY?: string;
  MINIO_ADDRESSING: 'path' | 'host';
  MINIO_BUCKET: string;
  MINIO_REGION: string;
}

/** Returns the settings of the store. @throws ConfigError for conflicting settings */
export function minioSettings(settings: StoreEnvironment): MinioSettings | undefined {
  const { MINIO_ENDPOINT, MINIO_PUBLIC_ENDPOINT, MINIO_ACCESS_KEY, MINIO_SECRET_KEY, MINIO_BUCKET, MINIO_REGION } = settings;
  if (!MINIO_ENDPOINT) {
    if (MINIO_PUBLIC_ENDPOINT) throw new ConfigError('MINIO_ENDPOINT must be set with MINIO_PUBLIC_ENDPOINT');
    return undefined;
  }
  if (!MINIO_ACCESS_KEY !== !MINIO_SECRET_KEY) {
    throw new ConfigError('MINIO_ACCESS_KEY and MINIO_SECRET_KEY must be set together; without both, an AWS role is used');
  }
  if (settings.MINIO_ADDRESSING === 'host' && [MINIO_ENDPOINT, MINIO_PUBLIC_ENDPOINT].some(isByAddress)) {
    throw new ConfigError('MINIO_ADDRESSING must be path if MINIO_ENDPOINT or MINIO_PUBLIC_ENDPOINT has an IP address');
  }
  return {
    endpoint: MINIO_ENDPOINT,
    publicEndpoint: MINIO_PUBLIC_ENDPOINT,
    accessKey: MINIO_ACCESS_KEY,
    secretKey: MINIO_SECRET_KEY,
    bucket: MINIO_BUCKET,
    region: MINIO_REGION,
    addressing: settings.MINIO_ADDRESSING,
  };
}

const isByAddress = (origin: string | undefined): boolean =>
  origin !== undefined && isIP(new URL(origin).hostname.replace(/^\[|\]$/g, '')) !== 0;
