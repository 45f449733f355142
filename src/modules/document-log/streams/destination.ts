import { LogStreamKind } from './log-stream.model.js';
import type { CheckedDestination } from './log-stream.inputs.js';

/** Stored destination: its public part, and its encrypted secrets. */
export interface StoredDestination {
  kind: LogStreamKind;
  shown: ShownDestination;
  secrets: Secrets | null;
}

/** Public part of a destination, by kind. */
export interface ShownDestination {
  url: string;
  headers?: string[];
  index?: string;
  service?: string;
  tags?: string;
  region?: string;
  bucket?: string;
  prefix?: string;
  accessKeyId?: string;
}

/** Header values by name, or a secret by field name. */
export type Secrets = Record<string, string>;

/** Splits a destination into its public part and its secrets. */
export function storedDestination({ https, splunk, datadog, s3 }: CheckedDestination): StoredDestination {
  if (https) {
    const headers = https.headers ?? [];
    const secrets = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
    return {
      kind: LogStreamKind.HTTPS,
      shown: { url: https.url, headers: headers.map(({ name }) => name) },
      secrets: headers.length > 0 ? secrets : null,
    };
  }
  if (splunk) {
    const shown = { url: splunk.url, ...(splunk.index && { index: splunk.index }) };
    return { kind: LogStreamKind.SPLUNK, shown, secrets: { token: splunk.token } };
  }
  if (datadog) {
    const url = `https://http-intake.logs.${datadog.site}/api/v2/logs`;
    const shown = { url, service: datadog.service ?? 'document-log', ...(datadog.tags && { tags: datadog.tags }) };
    return { kind: LogStreamKind.DATADOG, shown, secrets: { apiKey: datadog.apiKey } };
  }
  const { endpoint: url, region, bucket, prefix, accessKeyId, secretAccessKey } = s3!;
  return {
    kind: LogStreamKind.S3,
    shown: { url, region, bucket, prefix: prefix ?? '', accessKeyId },
    secrets: { secretAccessKey },
  };
}
