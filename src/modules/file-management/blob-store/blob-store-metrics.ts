import type { Metrics } from '../../../common/metrics/metrics.js';
import { beginChild, endFailed, SpanKind, type SpanOptions } from '../../../common/tracing/spans.js';
import { BlobMissing, type BlobStore, BlobStoreUnavailable, PartMismatch, UploadMissing } from './blob-store.js';

/**
 * Measured methods, with their S3 operation names. Excludes `list`, whose duration depends on its reader, and methods that only sign
 * URLs.
 */
const S3_OPERATIONS: Record<string, string> = {
  put: 'PutObject',
  open: 'GetObject',
  copy: 'CopyObject',
  stat: 'HeadObject',
  remove: 'DeleteObject',
  check: 'HeadBucket',
  beginMultipart: 'CreateMultipartUpload',
  putPart: 'UploadPart',
  listParts: 'ListParts',
  completeMultipart: 'CompleteMultipartUpload',
  abortMultipart: 'AbortMultipartUpload',
};

type Call = (...args: unknown[]) => Promise<unknown>;

/** Returns the store with its calls counted, timed and traced. @param bucket undefined for a folder */
export function measured<S extends BlobStore>(store: S, metrics: Metrics, bucket?: string): S {
  const calls = metrics.counter({
    name: 'blob_store_calls_total',
    help: 'Calls of the blob store, by outcome: ok, missing (no such blob, upload or part), unavailable, interrupted (such as by the sender)',
    labelNames: ['call', 'outcome'],
  });
  for (const call of Object.keys(S3_OPERATIONS)) calls.inc({ call, outcome: 'unavailable' }, 0);
  const duration = metrics.seconds({
    name: 'blob_store_call_duration_seconds',
    help: 'Time of a call of the blob store; put and putPart last as long as the content arrives, open until it begins',
    labelNames: ['call'],
  });
  const timed = async (call: string, run: () => Promise<unknown>): Promise<unknown> => {
    const span = beginChild(...spanOf(call, bucket));
    const ended = duration.startTimer({ call });
    try {
      const result = await run();
      span?.end();
      calls.inc({ call, outcome: 'ok' });
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      endFailed(span, outcome);
      calls.inc({ call, outcome });
      throw error;
    } finally {
      ended();
    }
  };
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as Call;
      return String(name) in S3_OPERATIONS ? (...args: unknown[]) => timed(String(name), () => call(...args)) : call;
    },
  });
}

function spanOf(call: string, bucket: string | undefined): [string, SpanOptions] {
  if (bucket === undefined) return [`folder ${call}`, { kind: SpanKind.INTERNAL }];
  const operation = S3_OPERATIONS[call]!;
  const attributes = { 'rpc.system.name': 'aws-api', 'rpc.method': `S3/${operation}`, 'aws.s3.bucket': bucket };
  return [`S3/${operation}`, { kind: SpanKind.CLIENT, attributes }];
}

function outcomeOf(error: unknown): string {
  if (error instanceof BlobStoreUnavailable) return 'unavailable';
  const isMissing = error instanceof BlobMissing || error instanceof UploadMissing || error instanceof PartMismatch;
  return isMissing ? 'missing' : 'interrupted';
}
