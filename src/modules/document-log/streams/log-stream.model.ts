import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { SendingFields } from '../../../common/graphql/types/sending.js';

const registerIn = DocumentLogSchema;
const nullable = true;

/** Maximum log streams per tenant. */
export const MAX_STREAMS = 5;
/** Maximum headers of a destination. */
export const MAX_HEADERS = 20;
/** Bounds of a batch: records, and bytes from which no record is added. */
export const MAX_BATCH = 500;
export const MAX_BATCH_BYTES = 1024 * 1024;
/** Maximum pending records counted per stream. */
export const MAX_WAITING = 1_000;

export enum LogStreamKind {
  HTTPS = 'HTTPS',
  SPLUNK = 'SPLUNK',
  DATADOG = 'DATADOG',
  S3 = 'S3',
}
registerEnumType(LogStreamKind, {
  name: 'LogStreamKind',
  description: 'Kind of destination.',
  valuesMap: {
    HTTPS: { description: 'POST to an endpoint of the application.' },
    SPLUNK: { description: 'HTTP Event Collector of Splunk.' },
    DATADOG: { description: 'Log intake of Datadog (API v2).' },
    S3: { description: 'Objects in a bucket of an S3 store.' },
  },
});

export enum LogStreamFormat {
  NDJSON = 'NDJSON',
  OCSF = 'OCSF',
  CLOUDEVENTS = 'CLOUDEVENTS',
}
registerEnumType(LogStreamFormat, {
  name: 'LogStreamFormat',
  description: 'Format of each record.',
  valuesMap: {
    NDJSON: { description: 'JSON with all fields, as in the NDJSON export.' },
    OCSF: {
      description:
        'Entity Management event of the Open Cybersecurity Schema Framework. metadata.version contains the schema version.',
    },
    CLOUDEVENTS: { description: 'CloudEvents 1.0 object of type log.created, with the id of the record.' },
  },
});

@ObjectType('LogStreamDestination', { registerIn, description: 'Destination of a stream, without its secrets.' })
export class LogStreamDestination {
  @Field(() => LogStreamKind, { nullable, description: 'Kind of the destination.' })
  kind: LogStreamKind;

  @Field(() => String, {
    nullable,
    description: 'URL of the HTTPS endpoint, the Splunk collector, the Datadog intake or the S3 store.',
  })
  url: string;

  @MaxItems(MAX_HEADERS)
  @Field(() => [String], { nullable: 'itemsAndList', description: 'Names of the headers sent, for HTTPS.' })
  headers: string[] | null;

  @Field(() => String, { nullable, description: 'Splunk index.' })
  index: string | null;

  @Field(() => String, { nullable, description: 'Datadog service: the origin of the logs.' })
  service: string | null;

  @Field(() => String, { nullable, description: 'Datadog tags, comma-separated.' })
  tags: string | null;

  @Field(() => String, { nullable, description: 'S3 region of the bucket.' })
  region: string | null;

  @Field(() => String, { nullable, description: 'S3 bucket.' })
  bucket: string | null;

  @Field(() => String, { nullable, description: 'Prefix of S3 object keys.' })
  prefix: string | null;

  @Field(() => String, { nullable, description: 'Id of the S3 access key.' })
  accessKeyId: string | null;
}

@ObjectType('LogStream', {
  registerIn,
  description: 'Stream that sends sealed records to an external system, in the order of writing.',
})
export class LogStream extends SendingFields {
  @Field(() => ID, { nullable, description: 'Id of the stream.' })
  id: string;

  @Field(() => String, { nullable, description: 'Name chosen by the application.' })
  name: string;

  @Field(() => LogStreamDestination, { nullable, description: 'Destination.' })
  destination: LogStreamDestination;

  @Field(() => LogStreamFormat, { nullable, description: 'Format of each record.' })
  format: LogStreamFormat;

  @Field(() => Boolean, { nullable, description: 'True while the stream sends. Records queue while it is false.' })
  active: boolean;

  @Field(() => DateTime, {
    nullable,
    description: 'createdAt of the last record accepted by the destination; null before the first.',
  })
  deliveredTo: Date | null;

  /** Seq of the last record sent; `waiting` counts from it. Absent from the schema. */
  position: string;
}

@ObjectType('LogStreamsResult', { registerIn, description: 'A page of streams.' })
export class LogStreamsResult extends pageOf(LogStream, {
  items: 'Streams, newest first.',
  nextToken: 'Cursor of the next page, or null on the last.',
  max: MAX_STREAMS,
}) {}
