import { z } from 'zod';
import { text } from '../../../common/validation/text.js';
import {
  BUCKET_NAME,
  MAX_ADDRESS,
  MAX_HEADER_NAME,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_PREFIX,
  MAX_SITE,
} from '../models/limits.js';
import { LogStreamFormat } from '../models/log-stream.model.js';

export const MAX_STREAM_NAME = 256;

const some = text({ min: 1, max: MAX_ADDRESS });
/** A secret that becomes the value of a header. */
const visible = text({ min: 1, max: MAX_HEADER_VALUE }).regex(/^[\x20-\x7e]*$/, 'must have visible ASCII characters only');

const header = z.strictObject({
  name: text({ min: 1, max: MAX_HEADER_NAME }).regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/, 'must be a header name (RFC 9110)'),
  value: visible,
});
const https = z.strictObject({
  url: some,
  headers: z
    .array(header)
    .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
    .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, 'must have each header once')
    .nullish(),
});
const splunk = z.strictObject({ url: some, token: visible, index: some.nullish() });
/** https://docs.datadoghq.com/getting_started/site: a domain of Datadog, or a region in front of it. */
const DATADOG_SITE = /^([a-z0-9]+\.)?(datadoghq\.(com|eu)|ddog-gov\.com)$/;
const datadog = z.strictObject({
  site: text({ min: 1, max: MAX_SITE }).regex(DATADOG_SITE, 'must be a site of Datadog, such as datadoghq.eu'),
  apiKey: visible,
  service: some.nullish(),
  tags: some.nullish(),
});
const s3 = z.strictObject({
  endpoint: some,
  region: text({ min: 1, max: 63 }).regex(/^[a-z0-9-]*$/, 'must have lower-case letters, digits and hyphens only'),
  bucket: text(BUCKET_NAME).regex(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/, 'must be the name of a bucket, such as audit-log'),
  prefix: text({ max: MAX_PREFIX })
    .regex(/^[A-Za-z0-9!_.*'()/=-]*$/, "must have letters, digits and ! _ . * ' ( ) / = - only")
    .refine(
      (prefix) => !prefix.startsWith('/') && !/(^|\/)\.{0,2}\//.test(prefix),
      'must not begin with / or have a part that is empty, . or ..',
    )
    .nullish(),
  accessKeyId: text({ min: 1, max: 128 }).regex(/^[\x21-\x7e]*$/, 'must have visible ASCII characters only'),
  secretAccessKey: visible,
});

const destination = z
  .strictObject({ https: https.nullish(), splunk: splunk.nullish(), datadog: datadog.nullish(), s3: s3.nullish() })
  .refine((given) => Object.values(given).filter(Boolean).length === 1, 'must have exactly one of https, splunk, datadog and s3');
const name = text({ min: 1, max: MAX_STREAM_NAME });
const format = z.enum(LogStreamFormat).nullish();

export type GivenDestination = z.infer<typeof destination>;

export const createLogStreamRules = z.strictObject({ name, destination, format, from: z.date().nullish() });
export const updateLogStreamRules = z.strictObject({
  name: name.nullish(),
  destination: destination.nullish(),
  format,
  active: z.boolean().nullish(),
});
