import { Client } from 'minio';

/** Seconds for which a signed address can be used: the time of one attempt, and a difference between clocks. */
const VALID_S = 900;

interface Wanted {
  endpoint: string;
  region: string;
  bucket: string;
  key: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Returns a presigned URL (AWS Signature Version 4) for the PUT of an object. Signs here, and sends nothing. */
export function putAddress({ endpoint, region, bucket, key, accessKeyId, secretAccessKey }: Wanted): Promise<string> {
  const { protocol, hostname, port } = new URL(endpoint);
  const client = new Client({
    endPoint: hostname.replace(/^\[|\]$/g, ''),
    useSSL: protocol === 'https:',
    ...(port !== '' && { port: Number(port) }),
    accessKey: accessKeyId,
    secretKey: secretAccessKey,
    pathStyle: true,
    region, // so that signing needs no request
  });
  return client.presignedPutObject(bucket, key, VALID_S);
}
