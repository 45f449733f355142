import { z } from 'zod';
import { type Checked, type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/base/amounts.js';
import { text } from '../../../common/base/text.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { LogStreamFormat, MAX_HEADERS } from './log-stream.model.js';

const registerIn = DocumentLogSchema;
const MAX_STREAM_NAME = 256;
const MAX_HEADER_NAME = 128;
const MAX_HEADER_VALUE = 4_096;
/** Maximum characters of URLs and other texts of a destination. */
const MAX_ADDRESS = 2_000;
/** Maximum characters of a Datadog site, a DNS name (RFC 1035). */
const MAX_SITE = 253;
/** Length of a bucket name in S3. */
const BUCKET_NAME = { min: 3, max: 63 };
/** Maximum characters of the prefix of object keys. */
const MAX_PREFIX = 200;
/** Maximum characters of a region and of an access key id. */
const MAX_REGION = 63;
const MAX_KEY_ID = 128;

const UP_TO = `1 to ${asCount(MAX_ADDRESS)} characters.`;
const URL_TEXT =
  `https URL of up to ${asCount(MAX_ADDRESS)} characters, without credentials or a fragment. Private, loopback and link-local ` +
  'addresses are rejected unless the operator allows them.';
const SECRET = 'Stored encrypted, never returned.';

const some = text({ min: 1, max: MAX_ADDRESS });
/** Secret sent as a header value. */
const visible = text({ min: 1, max: MAX_HEADER_VALUE }).regex(/^[\x20-\x7e]*$/, 'must contain only visible ASCII characters');

const LogStreamHeaderInput = input(
  'LogStreamHeaderInput',
  { registerIn, description: 'Request header.' },
  {
    name: text({ min: 1, max: MAX_HEADER_NAME })
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/, 'must be a header name (RFC 9110)')
      .describe(`Name of the header (RFC 9110), up to ${MAX_HEADER_NAME} characters.`),
    value: visible.describe(`Value, up to ${asCount(MAX_HEADER_VALUE)} characters of visible ASCII. ${SECRET}`),
  },
);

const LogStreamHttpsInput = input(
  'LogStreamHttpsInput',
  { registerIn, description: 'Endpoint that receives batches by POST, and responds with success once it has stored them.' },
  {
    url: some.describe(URL_TEXT),
    headers: z
      .array(nested(LogStreamHeaderInput))
      .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
      .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, 'repeats a header; send each once')
      .nullish()
      .describe(
        `Up to ${MAX_HEADERS} distinct headers, such as Authorization. Headers that frame the request, such as Content-Length, are rejected.`,
      ),
  },
);

const LogStreamSplunkInput = input(
  'LogStreamSplunkInput',
  { registerIn, description: 'HTTP Event Collector of Splunk.' },
  {
    url: some.describe(`URL of the collector, without /services/collector/event. ${URL_TEXT}`),
    token: visible.describe(`Token of the collector. ${SECRET}`),
    index: some.nullish().describe(`Target index, by default that of the token. ${UP_TO}`),
  },
);

/** Datadog domain, with or without a region prefix: https://docs.datadoghq.com/getting_started/site. */
const DATADOG_SITE = /^([a-z0-9]+\.)?(datadoghq\.(com|eu)|ddog-gov\.com)$/;

const LogStreamDatadogInput = input(
  'LogStreamDatadogInput',
  { registerIn, description: 'Log intake of Datadog (API v2).' },
  {
    site: text({ min: 1, max: MAX_SITE })
      .regex(DATADOG_SITE, 'must be a Datadog site, such as datadoghq.eu')
      .describe(`Site of the organization, such as datadoghq.eu; up to ${MAX_SITE} characters.`),
    apiKey: visible.describe(`API key. ${SECRET}`),
    service: some.nullish().describe(`Service of the logs; document-log by default. ${UP_TO}`),
    tags: some.nullish().describe(`Tags, such as env:prod,team:audit. ${UP_TO}`),
  },
);

const LogStreamS3Input = input(
  'LogStreamS3Input',
  { registerIn, description: 'Bucket of an S3 store. Each batch becomes one object of JSON lines.' },
  {
    endpoint: some.describe(`URL of the store, such as https://s3.eu-central-1.amazonaws.com, without a path. ${URL_TEXT}`),
    region: text({ min: 1, max: MAX_REGION })
      .regex(/^[a-z0-9-]*$/, 'must contain only lowercase letters, digits and hyphens')
      .describe(`Region, such as eu-central-1. 1 to ${MAX_REGION} characters.`),
    bucket: text(BUCKET_NAME)
      .regex(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/, 'must be a bucket name, such as audit-log')
      .describe(`Name of the bucket, ${BUCKET_NAME.min} to ${BUCKET_NAME.max} characters.`),
    prefix: text({ max: MAX_PREFIX })
      .regex(/^[A-Za-z0-9!_.*'()/=-]*$/, "must contain only letters, digits and ! _ . * ' ( ) / = -")
      .refine(
        (prefix) => !prefix.startsWith('/') && !/(^|\/)\.{0,2}\//.test(prefix),
        'must not begin with / or contain an empty, . or .. segment',
      )
      .nullish()
      .describe(`Prefix of object keys, such as audit/, up to ${MAX_PREFIX} characters; year/month/day/hour (UTC) is appended.`),
    accessKeyId: text({ min: 1, max: MAX_KEY_ID })
      .regex(/^[\x21-\x7e]*$/, 'must contain only visible ASCII characters')
      .describe(`Id of an access key with permission to put objects. 1 to ${MAX_KEY_ID} characters.`),
    secretAccessKey: visible.describe(`Secret of the access key. ${SECRET}`),
  },
);

const LogStreamDestinationInput = input(
  'LogStreamDestinationInput',
  { registerIn, description: 'Destination of a stream. Set exactly one field.' },
  {
    https: nested(LogStreamHttpsInput).nullish().describe('HTTPS endpoint of the application.'),
    splunk: nested(LogStreamSplunkInput).nullish().describe('Splunk.'),
    datadog: nested(LogStreamDatadogInput).nullish().describe('Datadog.'),
    s3: nested(LogStreamS3Input).nullish().describe('S3 store.'),
  },
  (rules) =>
    rules.refine(
      (given) => Object.values(given).filter(Boolean).length === 1,
      'must have exactly one of https, splunk, datadog and s3',
    ),
);
export type CheckedDestination = Checked<typeof LogStreamDestinationInput>;

const destination = nested(LogStreamDestinationInput);
const name = text({ min: 1, max: MAX_STREAM_NAME });
const NAME = `1 to ${asCount(MAX_STREAM_NAME)} characters.`;
const format = z.enum(LogStreamFormat).nullable();
const FORMAT = 'Format of each record.';

export const CreateLogStreamInput = input(
  'CreateLogStreamInput',
  { registerIn, description: 'Stream to create.' },
  {
    name: name.describe(NAME),
    destination: destination.describe('Destination: exactly one of its fields.'),
    format: format.default(LogStreamFormat.NDJSON).describe(FORMAT),
    from: z
      .date()
      .nullish()
      .describe('Sends records written from this time on, and possibly a few seconds earlier; from now by default.'),
  },
);
export type CreateLogStreamInput = Given<typeof CreateLogStreamInput>;

export const UpdateLogStreamInput = input(
  'UpdateLogStreamInput',
  { registerIn, description: 'Update of a stream. Omitted fields remain unchanged.' },
  {
    name: name.nullish().describe(NAME),
    destination: destination.nullish().describe('Complete destination, including its secrets.'),
    format: format.optional().describe(FORMAT),
    active: z.boolean().nullish().describe('false pauses the stream; true resumes it at once where it stopped.'),
  },
);
export type UpdateLogStreamInput = Given<typeof UpdateLogStreamInput>;
