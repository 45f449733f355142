import { Link } from 'wouter';
import { Status, Time } from '../../ui/status';
import { personPath } from '../data/filters';
import { attributeName, authorName, type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { ChangeBoth } from '../parts/change';
import styles from '../log.module.css';

/** Events of a document, newest first, with old and new values. */
export function Timeline({ items }: { items: readonly (ListedRecord | DamagedRecord)[] }) {
  return (
    <ol className={`timeline ${styles.timeline}`}>
      {items.map((record) => (
        <li key={record.id}>{isDamaged(record) ? <Damaged record={record} /> : <Event record={record} />}</li>
      ))}
    </ol>
  );
}

function Damaged({ record: { id, damage } }: { record: DamagedRecord }) {
  return (
    <span className="row wrap">
      <Status kind="bad" word="Damaged" />
      <Link href={`/${id}`}>Show record</Link>
      <span className="muted small break">{damage}</span>
    </span>
  );
}

function Event({ record }: { record: ListedRecord }) {
  const { id, action, authorId, dateTime, comment, erasedAt, attributeOldValue, attributeNewValue } = record;
  const who = authorName(record);
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Link href={`/${id}`} className={styles.strong}>
          {attributeName(record) ?? action ?? 'Event'}
        </Link>
        {action && <span className={styles.tag}>{action}</span>}
        {erasedAt && <Status kind="none" word="Erased" />}
        <span className="muted small">
          {who && (authorId ? <Link href={personPath(authorId)}>{who}</Link> : who)} <Time at={dateTime!} />
        </span>
      </div>
      {(attributeOldValue ?? attributeNewValue) && <ChangeBoth before={attributeOldValue} after={attributeNewValue} />}
      {comment && <p className="muted break">{comment}</p>}
    </div>
  );
}
