import { Status, Time } from '../../ui/status';
import { attributeName, authorName, type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { ChangeLine } from './change';

/** A record as a row of a list: its document, what changed, who and when. */
export function RecordRow({ record, isWritten = false }: { record: ListedRecord | DamagedRecord; isWritten?: boolean }) {
  if (isDamaged(record)) {
    return (
      <span className="log-row">
        <span className="log-document">
          <Status kind="bad" word="Damaged" />
        </span>
        <span className="log-what truncate">
          <code>{record.id}</code>
        </span>
        <span className="log-what truncate muted small">It was changed in the database</span>
      </span>
    );
  }
  const attribute = attributeName(record);
  const when = <Time at={(isWritten ? record.createdAt : record.dateTime) ?? ''} />;
  return (
    <span className="log-row">
      <span className="log-document">
        <span className="truncate log-strong">{record.documentId}</span>
        <span className="truncate muted small">
          {record.documentType}
          <span className="log-narrow"> · {when}</span>
        </span>
      </span>
      <span className="log-what">
        <span className="truncate muted small">{[attribute, record.action].filter(Boolean).join(' · ') || 'Event'}</span>
        {record.erasedAt ? (
          <span>
            <Status kind="none" word="Erased" />
          </span>
        ) : (
          <Changed record={record} />
        )}
      </span>
      <span className="log-who">
        <span className="truncate">{authorName(record) ?? <span className="muted">no author</span>}</span>
        <span className="muted small">{when}</span>
      </span>
    </span>
  );
}

function Changed({ record: { attributeOldValue, attributeNewValue, comment } }: { record: ListedRecord }) {
  if (!attributeOldValue && !attributeNewValue) return <span className="truncate">{comment ?? ''}</span>;
  return <ChangeLine before={attributeOldValue} after={attributeNewValue} />;
}
