import { Client } from 'minio';

/** Lifetime of a presigned URL in seconds: one attempt plus clock skew. */
const VALID_S = 900;

interface Wanted {
  endpoint: string;
  region: string;
  bucket: string;
  key: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Returns a presigned URL (AWS Signature Version 4) for the PUT of an object. Signs locally. */
export function putAddress({ endpoint, region, bucket, key, accessKeyId, secretAccessKey }: Wanted): Promise<string> {
  const { protocol, hostname, port } = new URL(endpoint);
  const client = new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ''),
    useSSL: protocol === 'https:',
    ...(port !== '' && { port: Number(port) }),
    accessKey: accessKeyId,
    secretKey: secretAccessKey,
    pathStyle: true,
    region, // avoids a request to look it up
  });
  return client.presignedPutObject(bucket, key, VALID_S);
}
