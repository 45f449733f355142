import { z } from 'zod';
import { bucketName, origin } from './setting-rules.js';

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
