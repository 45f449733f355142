import { type FormEvent, useCallback, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button, Field } from '../../ui/controls';
import { CopyButton, Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import { Empty, ErrorNotice, NoPermission, Skeleton } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { attributeName, authorName, type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { Lanes } from './lanes';
import { StateAtTime } from './state-at-time';
import { sampleOf } from '../../ui/sample';
import { documentPath, personPath } from '../data/filters';
import { Pick } from '../parts/pick';
import { Status, Time } from '../../ui/status';
import { ChangeBoth } from '../parts/change';
import styles from '../log.module.css';

/** History of a document: lanes of its attributes, its state at any time, and every event. */
function DocumentHistory({ documentType, documentId }: { documentType: string; documentId: string }) {
  const [{ at }, change] = useFilters();
  const filter = useMemo(() => ({ documentType, documentId }), [documentType, documentId]);
  const { items, error, hasMore, isPending, isLoading, readMore, readAgain } = usePages<ListedRecord | DamagedRecord>({
    queryKey: ['log', 'document', filter],
    read: (api, nextToken, signal) => readListed(api, { filter, nextToken, limit: 500 }, signal),
    live: 'document-log',
  });
  const events = useMemo(() => items.filter((record): record is ListedRecord => !isDamaged(record)), [items]);
  const choose = useCallback((time: string | undefined) => change({ at: time }), [change]);
  return (
    <div className={`page-body ${styles.history}`}>
      <div className={`row wrap ${styles.title}`}>
        <h2 className={`${styles.big} break`}>{documentId}</h2>
        <span className={`${styles.tag} break`}>{documentType}</span>
        <CopyButton text={documentId} label="Copy document ID" />
        <span className="grow" />
        <Link className="button small" href="/document">
          Change document
        </Link>
      </div>
      {error && <ErrorNotice error={error} tried="load the history" onRetry={readAgain} />}
      {isPending && !error && <Skeleton lines={12} label="Loading history" />}
      {!isPending && !error && items.length === 0 && <NoHistory documentType={documentType} documentId={documentId} />}
      {items.length > 0 && (
        <>
          <Lanes events={events} at={at} onChoose={choose} isPart={hasMore} />
          <StateAtTime {...filter} events={events} at={at} onChoose={choose} />
          <section className="stack tight" aria-label="History">
            <div className="row">
              <h2>History</h2>
              <span className="muted small">
                {hasMore ? `newest ${plural(items.length, 'event')}` : plural(items.length, 'event')}
              </span>
            </div>
            <Timeline items={items} />
            {hasMore && (
              <span>
                <Button size="small" disabled={isLoading} onClick={readMore}>
                  Load older events
                </Button>
              </span>
            )}
          </section>
        </>
      )}
    </div>
  );
}

function NoHistory({ documentType, documentId }: { documentType: string; documentId: string }) {
  const { prefix } = useDescription();
  const query = 'mutation($i: CreateLogInput!) { createLog(input: $i) { itemId } }';
  const [dateTime] = useState(() => new Date().toISOString());
  const variables = { i: { documentType, documentId, dateTime, action: 'create' } };
  return (
    <Empty
      title="No history for this document"
      action={
        <Link className="button" href="/document">
          Change document
        </Link>
      }
    >
      <p className="muted">Type and ID are case-sensitive. Add the first record:</p>
      <Snippet label="request to add a record" code={sampleOf(prefix, 'document-log', query, variables)} />
    </Empty>
  );
}

/** History of one document, or a form to choose one. */
export function DocumentTab() {
  const [{ type, id }] = useFilters();
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  if (refusal) return <NoPermission what="view the log" refusal={refusal} />;
  if (type && id) return <DocumentHistory key={`${type} ${id}`} documentType={type} documentId={id} />;
  return <Choose type={type ?? ''} id={id ?? ''} />;
}

function Choose(given: { type: string; id: string }) {
  const [, navigate] = useLocation();
  const [type, setType] = useState(given.type);
  const [id, setId] = useState(given.id);
  const show = (event: FormEvent) => {
    event.preventDefault();
    navigate(documentPath(type, id));
  };
  return (
    <div className="page-body">
      <div className={`stack ${styles.choose}`}>
        <p className="muted">Choose a document to see its history and its state at any time.</p>
        <form className={styles.line} onSubmit={show}>
          <Field label="Document type">
            {(ids) => <input {...ids} className="input" required value={type} onChange={({ target }) => setType(target.value)} />}
          </Field>
          <Field label="Document ID">
            {(ids) => <input {...ids} className="input" required value={id} onChange={({ target }) => setId(target.value)} />}
          </Field>
          <Button type="submit" look="primary">
            Show history
          </Button>
        </form>
        <Pick
          title="Recent documents"
          choiceOf={({ documentType, documentId }) => ({
            href: documentPath(documentType, documentId),
            word: documentId!,
            about: documentType!,
          })}
        />
      </div>
    </div>
  );
}

/** Events of a document, newest first, with old and new values. */
function Timeline({ items }: { items: readonly (ListedRecord | DamagedRecord)[] }) {
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
