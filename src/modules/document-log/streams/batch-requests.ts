import type { OutboundRequest } from '../../../common/outbound/outbound-http.js';
import { LogStreamFormat, LogStreamKind } from './log-stream.model.js';
import type { Secrets, ShownDestination } from './destination.js';

/** Records sent in one request, each as JSON. */
export interface Batch {
  format: LogStreamFormat;
  records: { id: string; writtenAt: Date; json: string }[];
}

type BatchRequest = Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>;
type RequestOf = (to: ShownDestination, secrets: Secrets, batch: Batch) => BatchRequest | Promise<BatchRequest>;

const LINES = 'application/x-ndjson';
const lines = ({ records }: Batch): string => records.map(({ json }) => `${json}\n`).join('');

/** Builds the request for a batch, by kind of destination. */
export const BATCH_REQUESTS: Record<LogStreamKind, RequestOf> = {
  [LogStreamKind.HTTPS]: ({ url }, secrets, batch) => {
    const isList = batch.format === LogStreamFormat.CLOUDEVENTS;
    const contentType = isList ? 'application/cloudevents-batch+json; charset=utf-8' : LINES;
    const body = isList ? `[${batch.records.map(({ json }) => json).join()}]` : lines(batch);
    return { url, headers: { ...secrets, 'content-type': contentType }, body };
  },

  /** Concatenated JSON objects: https://docs.splunk.com/Documentation/Splunk/latest/Data/FormateventsforHTTPEventCollector. */
  [LogStreamKind.SPLUNK]: ({ url, index }, { token }, { records, format }) => {
    const about = { source: 'document-log', sourcetype: `platform-services:${format.toLowerCase()}`, ...(index && { index }) };
    const events = records.map(({ writtenAt, json }) => {
      const head = JSON.stringify({ time: writtenAt.getTime() / 1_000, ...about });
      return `${head.slice(0, -1)},"event":${json}}\n`;
    });
    return {
      url: `${url.replace(/\/+$/, '')}/services/collector/event`,
      headers: { authorization: `Splunk ${token}`, 'content-type': 'application/json' },
      body: events.join(''),
    };
  },

  /** List of entries whose message Datadog parses as JSON: https://docs.datadoghq.com/api/latest/logs/#send-logs. */
  [LogStreamKind.DATADOG]: ({ url, service, tags }, { apiKey }, { records }) => {
    const about = { ddsource: 'platform-services', service, ...(tags && { ddtags: tags }) };
    return {
      url,
      headers: { 'dd-api-key': apiKey!, 'content-type': 'application/json' },
      body: JSON.stringify(records.map(({ json, writtenAt }) => ({ ...about, timestamp: writtenAt, message: json }))),
    };
  },

  [LogStreamKind.S3]: async ({ url, region, bucket, prefix, accessKeyId }, { secretAccessKey }, batch) => {
    const { id, writtenAt } = batch.records[0]!;
    const [day, time] = writtenAt.toISOString().split('T') as [string, string];
    // Deterministic key: a resent batch replaces its first copy.
    const key = `${prefix}${day.replaceAll('-', '/')}/${time.slice(0, 2)}/${day.replaceAll('-', '')}T${time.replaceAll(/[:.]/g, '')}-${id}.ndjson`;
    const signed = {
      endpoint: url,
      region: region!,
      bucket: bucket!,
      key,
      accessKeyId: accessKeyId!,
      secretAccessKey: secretAccessKey!,
    };
    return { url: await putAddress(signed), method: 'PUT', headers: { 'content-type': LINES }, body: lines(batch) };
  },
};

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
async function putAddress({ endpoint, region, bucket, key, accessKeyId, secretAccessKey }: Wanted): Promise<string> {
  const { Client } = await import('minio'); // only here: most nodes never need it
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
