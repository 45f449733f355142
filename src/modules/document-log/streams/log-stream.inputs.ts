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
/** Characters of each other text of a destination. */
const MAX_ADDRESS = 2_000;
/** Characters of a site of Datadog, which is a name of DNS (RFC 1035). */
const MAX_SITE = 253;
/** Characters of the name of a bucket, as S3 has them. */
const BUCKET_NAME = { min: 3, max: 63 };
/** Characters of the beginning of the names of objects. */
const MAX_PREFIX = 200;

const UP_TO = `1 to ${asCount(MAX_ADDRESS)} characters.`;
const URL_TEXT =
  `https address of up to ${asCount(MAX_ADDRESS)} characters, without credentials or a fragment. Private, loopback and link-local ` +
  'addresses are refused unless the operator allows them.';
const SECRET = 'It is stored encrypted and never shown.';

const some = text({ min: 1, max: MAX_ADDRESS });
/** A secret that becomes the value of a header. */
const visible = text({ min: 1, max: MAX_HEADER_VALUE }).regex(/^[\x20-\x7e]*$/, 'must have visible ASCII characters only');

const LogStreamHeaderInput = input(
  'LogStreamHeaderInput',
  { registerIn, description: 'A header of a request.' },
  {
    name: text({ min: 1, max: MAX_HEADER_NAME })
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]*$/, 'must be a header name (RFC 9110)')
      .describe(`Name of the header (RFC 9110), up to ${MAX_HEADER_NAME} characters.`),
    value: visible.describe(`Value, up to ${asCount(MAX_HEADER_VALUE)} characters of visible ASCII. ${SECRET}`),
  },
);

const LogStreamHttpsInput = input(
  'LogStreamHttpsInput',
  { registerIn, description: 'An address that takes batches by POST, and answers with success once it has them.' },
  {
    url: some.describe(URL_TEXT),
    headers: z
      .array(nested(LogStreamHeaderInput))
      .max(MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`)
      .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, 'must have each header once')
      .nullish()
      .describe(`Up to ${MAX_HEADERS} headers, each once, such as Authorization. Those that frame a request are refused.`),
  },
);

const LogStreamSplunkInput = input(
  'LogStreamSplunkInput',
  { registerIn, description: 'An HTTP Event Collector of Splunk.' },
  {
    url: some.describe(`Address of the collector, without /services/collector/event. ${URL_TEXT}`),
    token: visible.describe(`Token of the collector. ${SECRET}`),
    index: some.nullish().describe(`Index to write to; left out, that of the token. ${UP_TO}`),
  },
);

/** https://docs.datadoghq.com/getting_started/site: a domain of Datadog, or a region in front of it. */
const DATADOG_SITE = /^([a-z0-9]+\.)?(datadoghq\.(com|eu)|ddog-gov\.com)$/;

const LogStreamDatadogInput = input(
  'LogStreamDatadogInput',
  { registerIn, description: 'The log intake of Datadog (API v2).' },
  {
    site: text({ min: 1, max: MAX_SITE })
      .regex(DATADOG_SITE, 'must be a site of Datadog, such as datadoghq.eu')
      .describe(`Site of the organization, such as datadoghq.eu; up to ${MAX_SITE} characters.`),
    apiKey: visible.describe(`API key. ${SECRET}`),
    service: some.nullish().describe(`Service of the logs; left out, document-log. ${UP_TO}`),
    tags: some.nullish().describe(`Tags, such as env:prod,team:audit. ${UP_TO}`),
  },
);

const LogStreamS3Input = input(
  'LogStreamS3Input',
  { registerIn, description: 'A bucket of an S3 store. Each batch is an object of lines of JSON.' },
  {
    endpoint: some.describe(`Address of the store, such as https://s3.eu-central-1.amazonaws.com, without a path. ${URL_TEXT}`),
    region: text({ min: 1, max: 63 })
      .regex(/^[a-z0-9-]*$/, 'must have lower-case letters, digits and hyphens only')
      .describe(`Region, such as eu-central-1. ${UP_TO}`),
    bucket: text(BUCKET_NAME)
      .regex(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/, 'must be the name of a bucket, such as audit-log')
      .describe(`Name of the bucket, ${BUCKET_NAME.min} to ${BUCKET_NAME.max} characters.`),
    prefix: text({ max: MAX_PREFIX })
      .regex(/^[A-Za-z0-9!_.*'()/=-]*$/, "must have letters, digits and ! _ . * ' ( ) / = - only")
      .refine(
        (prefix) => !prefix.startsWith('/') && !/(^|\/)\.{0,2}\//.test(prefix),
        'must not begin with / or have a part that is empty, . or ..',
      )
      .nullish()
      .describe(
        `Beginning of the names of objects, such as audit/; up to ${MAX_PREFIX} characters. year/month/day/hour (UTC) follow.`,
      ),
    accessKeyId: text({ min: 1, max: 128 })
      .regex(/^[\x21-\x7e]*$/, 'must have visible ASCII characters only')
      .describe(`Id of an access key that may put objects. ${UP_TO}`),
    secretAccessKey: visible.describe(`Its secret. ${SECRET}`),
  },
);

const LogStreamDestinationInput = input(
  'LogStreamDestinationInput',
  { registerIn, description: 'Exactly one of them.' },
  {
    https: nested(LogStreamHttpsInput).nullish().describe('An address of the application.'),
    splunk: nested(LogStreamSplunkInput).nullish().describe('Splunk.'),
    datadog: nested(LogStreamDatadogInput).nullish().describe('Datadog.'),
    s3: nested(LogStreamS3Input).nullish().describe('An S3 store.'),
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
const FORMAT = 'Form of each record.';

export const CreateLogStreamInput = input(
  'CreateLogStreamInput',
  { registerIn, description: 'A stream to create.' },
  {
    name: name.describe(NAME),
    destination: destination.describe('Where to send to: exactly one of its fields.'),
    format: format.default(LogStreamFormat.NDJSON).describe(FORMAT),
    from: z
      .date()
      .nullish()
      .describe('Sends records that were written from this time on, and may begin a few seconds earlier; left out, from now on.'),
  },
);
export type CreateLogStreamInput = Given<typeof CreateLogStreamInput>;

export const UpdateLogStreamInput = input(
  'UpdateLogStreamInput',
  { registerIn, description: 'Changes of a stream. A field that is left out stays as it is.' },
  {
    name: name.nullish().describe(NAME),
    destination: destination.nullish().describe('The whole destination, with its secrets.'),
    format: format.optional().describe(FORMAT),
    active: z.boolean().nullish().describe('false sends nothing; true goes on where it stopped, at once.'),
  },
);
export type UpdateLogStreamInput = Given<typeof UpdateLogStreamInput>;
