import type { Column } from '../../ui/records';
import { Status, Time } from '../../ui/status';
import { attributeName, authorName, type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { ChangeLine } from './change';
import styles from '../log.module.css';

type Record = ListedRecord | DamagedRecord;

/** The document of a record. */
export const DOCUMENT: Column<Record> = {
  word: 'Document',
  width: 170,
  line: 'who',
  cell: (record) =>
    isDamaged(record) ? (
      <Status kind="bad" word="Damaged" />
    ) : (
      <>
        <span className={`truncate ${styles.strong}`}>{record.documentId}</span>
        <span className="truncate muted small">{record.documentType}</span>
      </>
    ),
};

/** The change of a record. */
export const CHANGE: Column<Record> = {
  word: 'Change',
  line: 'what',
  cell: (record) => {
    if (isDamaged(record)) return <code className="truncate">{record.id}</code>;
    const what = [attributeName(record), record.action].filter(Boolean).join(' · ') || 'Event';
    return (
      <>
        <span className={`truncate muted small ${styles.what}`}>{what}</span>
        {record.erasedAt ? <Status kind="none" word="Erased" /> : <Changed record={record} />}
      </>
    );
  },
};

/** Columns of records: document, change, author and time. */
export const recordColumns = (isWritten: boolean): readonly Column<Record>[] => [
  DOCUMENT,
  CHANGE,
  {
    word: 'Person',
    width: 140,
    room: 'medium',
    line: 'by',
    cell: (record) =>
      !isDamaged(record) && <span className="truncate">{authorName(record) ?? <span className="muted">no author</span>}</span>,
  },
  {
    word: 'Comment',
    room: 'huge',
    cell: (record) => !isDamaged(record) && <span className="truncate muted">{record.comment}</span>,
  },
  {
    word: isWritten ? 'Occurred' : 'Recorded',
    width: 96,
    room: 'huge',
    isNumber: true,
    cell: (record) => !isDamaged(record) && <Time at={(isWritten ? record.dateTime : record.createdAt) ?? ''} />,
  },
  {
    word: isWritten ? 'Recorded' : 'Occurred',
    width: 96,
    line: 'when',
    isNumber: true,
    cell: (record) => !isDamaged(record) && <Time at={(isWritten ? record.createdAt : record.dateTime) ?? ''} />,
  },
];

function Changed({ record: { attributeOldValue, attributeNewValue, comment } }: { record: ListedRecord }) {
  if (!attributeOldValue && !attributeNewValue) return <span className="truncate">{comment ?? ''}</span>;
  return <ChangeLine before={attributeOldValue} after={attributeNewValue} />;
}
