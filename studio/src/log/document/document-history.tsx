import { useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useApi, useDescription } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { CopyButton, Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import { Empty, ErrorNotice, Skeleton } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { type DamagedRecord, isDamaged, type ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { Lanes } from './lanes';
import { StateAtTime } from './state-at-time';
import { Timeline } from './timeline';
import { sampleOf } from '../../ui/sample';
import styles from '../log.module.css';

/** History of a document: lanes of its attributes, its state at any time, and every event. */
export function DocumentHistory({ documentType, documentId }: { documentType: string; documentId: string }) {
  const api = useApi();
  const [{ at }, change] = useFilters();
  const filter = useMemo(() => ({ documentType, documentId }), [documentType, documentId]);
  const { items, error, hasMore, isPending, isLoading, readMore, readAgain } = usePages<ListedRecord | DamagedRecord>({
    queryKey: ['log', 'document', filter],
    read: (nextToken, signal) => readListed(api, { filter, nextToken, limit: 500 }, signal),
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
