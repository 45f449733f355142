import { EXPORT_FORMATS } from '../export/log-lines.js';
import type { Log, LogEdit } from '../models/log.model.js';
import { LogStreamFormat } from './log-stream.model.js';
import { DamagedRecord } from '../records/damaged-record.js';
import { asOcsf } from './ocsf.js';

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
