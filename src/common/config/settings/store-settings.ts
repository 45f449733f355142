import { isIP } from 'node:net';
import { ConfigError } from './config-error.js';

/** The store of blobs, where it is not a folder. */
export interface MinioSettings {
  endpoint: string;
  /** Address at which clients reach the same store; without it, all bytes pass through this process. */
  publicEndpoint?: string;
  /** Without keys, requests are signed for the role of this machine. */
  accessKey?: string;
  secretKey?: string;
  bucket: string;
  region: string;
  /** Where an address names the bucket; in its path by default. */
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

/** @throws ConfigError for settings that do not go together */
export function minioSettings(settings: StoreEnvironment): MinioSettings | undefined {
  const { MINIO_ENDPOINT, MINIO_PUBLIC_ENDPOINT, MINIO_ACCESS_KEY, MINIO_SECRET_KEY, MINIO_BUCKET, MINIO_REGION } = settings;
  if (!MINIO_ENDPOINT) {
    if (MINIO_PUBLIC_ENDPOINT) throw new ConfigError('MINIO_ENDPOINT must be given with MINIO_PUBLIC_ENDPOINT');
    return undefined;
  }
  if (!MINIO_ACCESS_KEY !== !MINIO_SECRET_KEY) {
    throw new ConfigError('MINIO_ACCESS_KEY and MINIO_SECRET_KEY must be given together; without both, a role of AWS counts');
  }
  if (settings.MINIO_ADDRESSING === 'host' && [MINIO_ENDPOINT, MINIO_PUBLIC_ENDPOINT].some(isByAddress)) {
    throw new ConfigError('MINIO_ADDRESSING must be path where MINIO_ENDPOINT or MINIO_PUBLIC_ENDPOINT has an IP address');
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
