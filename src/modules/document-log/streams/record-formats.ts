import { isIP } from 'node:net';
import { EXPORT_FORMATS } from '../export/log-lines.js';
import type { Log, LogEdit } from '../models/log.model.js';
import { DamagedRecord } from '../records/damaged-record.js';
import type { NameValue } from '../models/name.scalar.js';
import { LogStreamFormat } from './log-stream.model.js';

/** Record with its edits, or the error of a damaged record. */
export interface StreamedRecord {
  log: Log | DamagedRecord;
  edits: LogEdit[];
}

const { line, damagedLine } = EXPORT_FORMATS.ndjson;
const asNdjson = ({ log, edits }: StreamedRecord): string =>
  (log instanceof DamagedRecord ? damagedLine(log) : line(log, edits)).trimEnd();

/** Serializes a record as one line of JSON. A damaged record becomes `{id, error}` in each format. */
export const FORMATS: Record<LogStreamFormat, (record: StreamedRecord) => string> = {
  [LogStreamFormat.NDJSON]: asNdjson,
  [LogStreamFormat.OCSF]: (record) =>
    record.log instanceof DamagedRecord ? asNdjson(record) : JSON.stringify(asOcsf(record.log)),
  [LogStreamFormat.CLOUDEVENTS]: (record) => {
    const { log } = record;
    const time = log instanceof DamagedRecord ? {} : { time: log.createdAt };
    const attributes = { specversion: '1.0', id: log.id, source: '/document-log', type: 'log.created', ...time, subject: log.id };
    return `${JSON.stringify({ ...attributes, datacontenttype: 'application/json' }).slice(0, -1)},"data":${asNdjson(record)}}`;
  },
};

/** Version of the OCSF class Entity Management: https://schema.ocsf.io/1.3.0/classes/entity_management */
const VERSION = '1.3.0';
const PRODUCT = 'platform-services';
const CATEGORY = 3;
const CLASS = 3004;
const INFORMATIONAL = 1;
const UNKNOWN = 0;
const OTHER = 99;

/** OCSF activities by common action names. */
const ACTIVITIES: Record<string, number> = {
  create: 1,
  add: 1,
  insert: 1,
  read: 2,
  view: 2,
  download: 2,
  update: 3,
  change: 3,
  edit: 3,
  delete: 4,
  remove: 4,
};

/** Converts a record to an OCSF event. Fields without an OCSF counterpart go into `unmapped`. */
function asOcsf(log: Log): object {
  const activity = log.action === null ? UNKNOWN : (ACTIVITIES[log.action.toLowerCase()] ?? OTHER);
  return {
    category_uid: CATEGORY,
    class_uid: CLASS,
    type_uid: CLASS * 100 + activity,
    activity_id: activity,
    ...(log.action !== null && { activity_name: log.action }),
    severity_id: INFORMATIONAL,
    time: log.dateTime.getTime(),
    metadata: {
      version: VERSION,
      uid: log.id,
      logged_time: log.createdAt.getTime(),
      product: { name: PRODUCT, vendor_name: PRODUCT, feature: { name: 'document-log' } },
    },
    entity: { uid: log.documentId, type: log.documentType },
    ...((log.author?.id || log.author?.name) && {
      actor: { user: { uid: log.author.id ?? undefined, name: log.author.name ?? undefined } },
    }),
    ...(log.eventLocation?.id && { src_endpoint: endpointOf(log.eventLocation.id) }),
    ...(log.comment !== null && { comment: log.comment }),
    message: messageOf(log),
    unmapped: {
      attribute: log.attribute,
      attributeOldValue: log.attributeOldValue,
      attributeNewValue: log.attributeNewValue,
      authorProfile: log.author?.profile,
      eventSource: log.eventSource,
      geoLocation: log.eventLocation?.geoLocation,
      custom1: log.custom1,
      custom2: log.custom2,
      updateAt: log.updateAt,
      erasedAt: log.erasedAt,
    },
  };
}

const endpointOf = (location: string): object => (isIP(location) === 0 ? { name: location } : { ip: location });

const messageOf = ({ documentType, documentId, attribute, action }: Log): string =>
  [action ?? 'change', 'of', nameOf(attribute?.name) ?? attribute?.id, attribute && 'of', documentType, documentId]
    .filter(Boolean)
    .join(' ');

const nameOf = (name: NameValue | null | undefined): string | undefined =>
  typeof name === 'string' ? name : (Object.values(name ?? {})[0] as string | undefined);
