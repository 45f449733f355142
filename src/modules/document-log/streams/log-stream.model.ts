import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { MaxItems } from '../../../common/scheduling/list-size.js';
import { DateTime } from '../../../common/graphql/types/date-time.scalar.js';
import { DocumentLogSchema } from '../../../common/graphql/types/schemas.js';
import { SendingFields } from '../../../common/graphql/types/sending.js';

const registerIn = DocumentLogSchema;
const nullable = true;

/** Log streams of a tenant. */
export const MAX_STREAMS = 5;
/** Headers of a stream's destination. */
export const MAX_HEADERS = 20;
/** Records of a batch, and bytes from which no further record is added to it. */
export const MAX_BATCH = 500;
export const MAX_BATCH_BYTES = 1024 * 1024;
/** Most waiting records of a stream that are counted. */
export const MAX_WAITING = 1_000;

export enum LogStreamKind {
  HTTPS = 'HTTPS',
  SPLUNK = 'SPLUNK',
  DATADOG = 'DATADOG',
  S3 = 'S3',
}
registerEnumType(LogStreamKind, {
  name: 'LogStreamKind',
  description: 'Kind of a destination.',
  valuesMap: {
    HTTPS: { description: 'A POST to an address of the application.' },
    SPLUNK: { description: 'The HTTP Event Collector of Splunk.' },
    DATADOG: { description: 'The log intake of Datadog (API v2).' },
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
  description: 'Form of each record.',
  valuesMap: {
    NDJSON: { description: 'JSON with all fields, as in the export.' },
    OCSF: {
      description:
        'An event of the class Entity Management of the Open Cybersecurity Schema Framework; metadata.version says of which version.',
    },
    CLOUDEVENTS: { description: 'A CloudEvents 1.0 object of the type log.created, whose id is that of the record.' },
  },
});

@ObjectType('LogStreamDestination', { registerIn, description: 'Where a stream sends to. Its secrets are never shown.' })
export class LogStreamDestination {
  @Field(() => LogStreamKind, { nullable, description: 'Kind of the destination.' })
  kind: LogStreamKind;

  @Field(() => String, {
    nullable,
    description: 'Address that is called: of HTTPS, of the collector, of the intake, or of the store.',
  })
  url: string;

  @MaxItems(MAX_HEADERS)
  @Field(() => [String], { nullable: 'itemsAndList', description: 'Names of the headers that are sent, of HTTPS.' })
  headers: string[] | null;

  @Field(() => String, { nullable, description: 'Index of Splunk.' })
  index: string | null;

  @Field(() => String, { nullable, description: 'Service, as Datadog calls the origin of a log.' })
  service: string | null;

  @Field(() => String, { nullable, description: 'Tags of Datadog, separated by commas.' })
  tags: string | null;

  @Field(() => String, { nullable, description: 'Region of the bucket.' })
  region: string | null;

  @Field(() => String, { nullable, description: 'Bucket of the store.' })
  bucket: string | null;

  @Field(() => String, { nullable, description: 'Beginning of the names of objects.' })
  prefix: string | null;

  @Field(() => String, { nullable, description: 'Id of the access key of the store.' })
  accessKeyId: string | null;
}

@ObjectType('LogStream', { registerIn, description: 'A place outside that sealed records are sent to, in the order of writing.' })
export class LogStream extends SendingFields {
  @Field(() => ID, { nullable, description: 'Id of the stream.' })
  id: string;

  @Field(() => String, { nullable, description: 'Name by the application.' })
  name: string;

  @Field(() => LogStreamDestination, { nullable, description: 'Where it sends to.' })
  destination: LogStreamDestination;

  @Field(() => LogStreamFormat, { nullable, description: 'Form of each record.' })
  format: LogStreamFormat;

  @Field(() => Boolean, { nullable, description: 'Whether it sends; records wait while it does not.' })
  active: boolean;

  @Field(() => DateTime, {
    nullable,
    description: 'Time of writing (createdAt) of the last record that the destination took; null before the first.',
  })
  deliveredTo: Date | null;

  /** Seq of the last record that was sent, from which `waiting` is counted; not in the schema. */
  position: string;
}

@ObjectType('LogStreamsResult', { registerIn, description: 'A page of streams.' })
export class LogStreamsResult extends pageOf(LogStream, {
  items: 'The streams, newest first.',
  nextToken: 'Fetches the next page; null on the last one.',
  max: MAX_STREAMS,
}) {}
