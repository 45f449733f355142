import { Field, InputType } from '@nestjs/graphql';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { asCount } from '../../../common/validation/amounts.js';
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
import { DocumentLogSchema } from '../models/schema.js';
import { MAX_STREAM_NAME } from './log-stream.rules.js';

const registerIn = DocumentLogSchema;
const nullable = true;
const UP_TO = `1 to ${asCount(MAX_ADDRESS)} characters.`;
const URL_TEXT =
  `https address of up to ${asCount(MAX_ADDRESS)} characters, without credentials or a fragment. Private, loopback and link-local ` +
  'addresses are refused unless the operator allows them.';
const SECRET = 'It is stored encrypted and never shown.';
const NAME = `1 to ${asCount(MAX_STREAM_NAME)} characters.`;

@InputType('LogStreamHeaderInput', { registerIn, description: 'A header of a request.' })
export class LogStreamHeaderInput {
  @Field(() => String, { description: `Name of the header (RFC 9110), up to ${MAX_HEADER_NAME} characters.` })
  name: string;

  @Field(() => String, { description: `Value, up to ${asCount(MAX_HEADER_VALUE)} characters of visible ASCII. ${SECRET}` })
  value: string;
}

@InputType('LogStreamHttpsInput', {
  registerIn,
  description: 'An address that takes batches by POST, and answers with success once it has them.',
})
export class LogStreamHttpsInput {
  @Field(() => String, { description: URL_TEXT })
  url: string;

  @Field(() => [LogStreamHeaderInput], {
    nullable,
    description: `Up to ${MAX_HEADERS} headers, each once, such as Authorization. Those that frame a request are refused.`,
  })
  headers?: LogStreamHeaderInput[] | null;
}

@InputType('LogStreamSplunkInput', { registerIn, description: 'An HTTP Event Collector of Splunk.' })
export class LogStreamSplunkInput {
  @Field(() => String, { description: `Address of the collector, without /services/collector/event. ${URL_TEXT}` })
  url: string;

  @Field(() => String, { description: `Token of the collector. ${SECRET}` })
  token: string;

  @Field(() => String, { nullable, description: `Index to write to; left out, that of the token. ${UP_TO}` })
  index?: string | null;
}

@InputType('LogStreamDatadogInput', { registerIn, description: 'The log intake of Datadog (API v2).' })
export class LogStreamDatadogInput {
  @Field(() => String, { description: `Site of the organization, such as datadoghq.eu; up to ${MAX_SITE} characters.` })
  site: string;

  @Field(() => String, { description: `API key. ${SECRET}` })
  apiKey: string;

  @Field(() => String, { nullable, description: `Service of the logs; left out, document-log. ${UP_TO}` })
  service?: string | null;

  @Field(() => String, { nullable, description: `Tags, such as env:prod,team:audit. ${UP_TO}` })
  tags?: string | null;
}

@InputType('LogStreamS3Input', { registerIn, description: 'A bucket of an S3 store. Each batch is an object of lines of JSON.' })
export class LogStreamS3Input {
  @Field(() => String, {
    description: `Address of the store, such as https://s3.eu-central-1.amazonaws.com, without a path. ${URL_TEXT}`,
  })
  endpoint: string;

  @Field(() => String, { description: `Region, such as eu-central-1. ${UP_TO}` })
  region: string;

  @Field(() => String, { description: `Name of the bucket, ${BUCKET_NAME.min} to ${BUCKET_NAME.max} characters.` })
  bucket: string;

  @Field(() => String, {
    nullable,
    description: `Beginning of the names of objects, such as audit/; up to ${MAX_PREFIX} characters. year/month/day/hour (UTC) follow.`,
  })
  prefix?: string | null;

  @Field(() => String, { description: `Id of an access key that may put objects. ${UP_TO}` })
  accessKeyId: string;

  @Field(() => String, { description: `Its secret. ${SECRET}` })
  secretAccessKey: string;
}

@InputType('LogStreamDestinationInput', { registerIn, description: 'Exactly one of them.' })
export class LogStreamDestinationInput {
  @Field(() => LogStreamHttpsInput, { nullable, description: 'An address of the application.' })
  https?: LogStreamHttpsInput | null;

  @Field(() => LogStreamSplunkInput, { nullable, description: 'Splunk.' })
  splunk?: LogStreamSplunkInput | null;

  @Field(() => LogStreamDatadogInput, { nullable, description: 'Datadog.' })
  datadog?: LogStreamDatadogInput | null;

  @Field(() => LogStreamS3Input, { nullable, description: 'An S3 store.' })
  s3?: LogStreamS3Input | null;
}

@InputType('CreateLogStreamInput', { registerIn, description: 'A stream to create.' })
export class CreateLogStreamInput {
  @Field(() => String, { description: NAME })
  name: string;

  @Field(() => LogStreamDestinationInput, { description: 'Where to send to: exactly one of its fields.' })
  destination: LogStreamDestinationInput;

  @Field(() => LogStreamFormat, { nullable, defaultValue: LogStreamFormat.NDJSON, description: 'Form of each record.' })
  format?: LogStreamFormat | null;

  @Field(() => DateTime, {
    nullable,
    description: 'Sends records that were written from this time on, and may begin a few seconds earlier; left out, from now on.',
  })
  from?: Date | null;
}

@InputType('UpdateLogStreamInput', { registerIn, description: 'Changes of a stream. A field that is left out stays as it is.' })
export class UpdateLogStreamInput {
  @Field(() => String, { nullable, description: NAME })
  name?: string | null;

  @Field(() => LogStreamDestinationInput, { nullable, description: 'The whole destination, with its secrets.' })
  destination?: LogStreamDestinationInput | null;

  @Field(() => LogStreamFormat, { nullable, description: 'Form of each record.' })
  format?: LogStreamFormat | null;

  @Field(() => Boolean, { nullable, description: 'false sends nothing; true goes on where it stopped, at once.' })
  active?: boolean | null;
}
