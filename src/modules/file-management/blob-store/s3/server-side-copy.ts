import { type Client, CopyDestinationOptions, CopySourceOptions } from 'minio';
import { MIB } from '../../../../common/base/amounts.js';

/** Bytes copied per request, so that the store responds in time. S3 allows 5 GiB. */
const STEP_BYTES = 512 * MIB;
const MAX_STEPS = 10_000;

/** Copies an object inside the store, in parts if it is large. */
export async function copyWithin(
  client: Client,
  bucket: string,
  { from, to, sizeBytes }: { from: string; to: string; sizeBytes: number },
): Promise<void> {
  const target = new CopyDestinationOptions({ Bucket: bucket, Object: to });
  if (sizeBytes <= STEP_BYTES) {
    await client.copyObject(new CopySourceOptions({ Bucket: bucket, Object: from }), target);
    return;
  }
  const step = Math.max(STEP_BYTES, Math.ceil(sizeBytes / MAX_STEPS));
  const ranges = Array.from({ length: Math.ceil(sizeBytes / step) }, (_, index) => {
    const [Start, End] = [index * step, Math.min((index + 1) * step, sizeBytes) - 1];
    return new CopySourceOptions({ Bucket: bucket, Object: from, MatchRange: true, Start, End });
  });
  await client.composeObject(target, ranges);
}
