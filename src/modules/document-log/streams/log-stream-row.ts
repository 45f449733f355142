// Room: Sends sealed records to external systems.
import { timeOfId } from '../../../common/base/ids.js';
import type { LogStreamModel } from '../../../generated/sqlite/models.js';
import type { LogStream, LogStreamDestination, LogStreamFormat, LogStreamKind } from './log-stream.model.js';
import type { ShownDestination } from './destination.js';

export type LogStreamRow = LogStreamModel;

const NOTHING: Omit<LogStreamDestination, 'kind' | 'url'> = {
  headers: null,
  index: null,
  service: null,
  tags: null,
  region: null,
  bucket: null,
  prefix: null,
  accessKeyId: null,
};

export function toLogStream(row: LogStreamRow): LogStream {
  const { id, name, active, updatedAt, deliveredTo, lastDeliveredAt, failingSince, lastError, notBefore } = row;
  const shown = JSON.parse(row.destination) as ShownDestination;
  return {
    id,
    name,
    destination: { kind: row.kind as LogStreamKind, ...NOTHING, ...shown },
    format: row.format as LogStreamFormat,
    active,
    createdAt: new Date(timeOfId(id)),
    updatedAt,
    deliveredTo,
    position: String(row.position),
    lastDeliveredAt,
    failingSince,
    lastError,
    pausedUntil: failingSince && notBefore && notBefore > new Date() ? notBefore : null,
  };
}
