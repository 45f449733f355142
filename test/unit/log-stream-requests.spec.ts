import { BATCH_REQUESTS } from '../../src/modules/document-log/streams/batch-requests.js';
import { storedDestination } from '../../src/modules/document-log/streams/destination.js';
import { LogStreamFormat } from '../../src/modules/document-log/streams/log-stream.model.js';

const writtenAt = new Date('2026-01-15T12:00:00.500Z');
const batch = { format: LogStreamFormat.NDJSON, records: [{ id: 'r1', writtenAt, json: '{"documentId":"d"}' }] };

describe('a batch for Datadog', () => {
  it('is a list of logs with JSON as their message, as API v2 of its intake requires', async () => {
    const { kind, shown, secrets } = storedDestination({ datadog: { site: 'datadoghq.eu', apiKey: 'key', tags: 'env:prod' } });
    const { url, headers, body, method } = await BATCH_REQUESTS[kind](shown, secrets!, batch);
    expect({ url, method }).toEqual({ url: 'https://http-intake.logs.datadoghq.eu/api/v2/logs', method: undefined });
    expect(headers).toEqual({ 'dd-api-key': 'key', 'content-type': 'application/json' });
    expect(JSON.parse(String(body))).toEqual([
      {
        ddsource: 'platform-services',
        service: 'document-log',
        ddtags: 'env:prod',
        timestamp: '2026-01-15T12:00:00.500Z',
        message: '{"documentId":"d"}',
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain('key');
  });
});

describe('a batch for S3', () => {
  it('has the same name when it is resent, and is signed without a request', async () => {
    const s3 = {
      endpoint: 'https://s3.example',
      region: 'eu-1',
      bucket: 'audit',
      prefix: 'a/',
      accessKeyId: 'id',
      secretAccessKey: 'key',
    };
    const { kind, shown, secrets } = storedDestination({ s3 });
    const [first, again] = await Promise.all([1, 2].map(() => BATCH_REQUESTS[kind](shown, secrets!, batch)));
    const { pathname, searchParams } = new URL(first!.url);
    expect(pathname).toBe('/audit/a/2026/01/15/12/20260115T120000500Z-r1.ndjson');
    expect(new URL(again!.url).pathname).toBe(pathname);
    expect(searchParams.get('X-Amz-Algorithm')).toBe('AWS4-HMAC-SHA256');
    expect({ method: first!.method, body: first!.body }).toEqual({ method: 'PUT', body: '{"documentId":"d"}\n' });
  });
});
