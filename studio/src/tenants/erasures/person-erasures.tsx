import { useState } from 'react';
import type { PersonErasure } from '../../../../clients/js/src/generated/admin';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { formatCount } from '../../ui/format';
import { Facts } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { usePages } from '../../ui/use-pages';
import { EraseDialog } from './erase-dialog';

/** Erasures of persons from the data of a tenant, newest first, with their progress. */
export function PersonErasures({ tenantId, isDeleting }: { tenantId: string; isDeleting: boolean }) {
  const [isErasing, setErasing] = useState(false);
  const refusal = useRefusal(['admin', 'query', 'personErasures']);
  const pages = usePages({
    queryKey: ['admin', 'erasures', tenantId],
    read: ({ admin }, nextToken, signal) =>
      admin.personErasures({ tenantId, nextToken: nextToken ?? null }, undefined, { signal }),
    isEnabled: !refusal,
    live: 'admin',
    isOnItsWay: ({ state }) => state === 'RUNNING',
  });
  if (refusal) return <p className="muted">{refusal}.</p>;
  if (pages.error) return <ErrorNotice error={pages.error} tried="load erasures" onRetry={pages.readAgain} />;
  return (
    <div className="stack">
      <p className="muted small">
        Erases a person from messages, emails, log records and authors. Files and templates stay, without their author.
      </p>
      <div>
        <Button
          look="danger"
          right={['admin', 'mutation', 'erasePerson']}
          refusal={isDeleting ? 'This tenant is being deleted' : undefined}
          onClick={() => setErasing(true)}
        >
          Erase person
        </Button>
      </div>
      {pages.isPending && <Skeleton lines={3} label="Loading erasures" />}
      {!pages.isPending && pages.items.length === 0 && <p className="muted">No erasures yet.</p>}
      <ul className="stack tight" aria-label="Erasures">
        {pages.items.map((erasure) => (
          <ErasureCard key={erasure.id} of={erasure} />
        ))}
      </ul>
      {pages.hasMore && (
        <div>
          <Button onClick={pages.readMore}>Show more</Button>
        </div>
      )}
      {isErasing && <EraseDialog tenantId={tenantId} onClose={() => setErasing(false)} />}
    </div>
  );
}

type ShownErasure = Pick<PersonErasure, 'id' | 'state' | 'createdAt' | 'endedAt' | 'problem'> & {
  erased: readonly ({ kind: string | null; count: number | null } | null)[] | null;
};

function ErasureCard({ of: { id, state, createdAt, endedAt, problem, erased } }: { of: ShownErasure }) {
  const counts = (erased ?? []).flatMap((one) => (one?.count ? [`${formatCount(one.count)} ${one.kind}`] : []));
  return (
    <li className="card stack tight">
      <div className="row">
        <CopyText text={id!} label="Copy erasure ID" />
        <span className="grow" />
        <Status {...(state === 'DONE' ? { kind: 'good', word: 'Done' } : { kind: 'wait', word: 'Running' })} />
      </div>
      {problem && <p className="notice wait">{problem}</p>}
      <Facts
        of={[
          ['Erased', counts.join(', ') || (state === 'DONE' ? 'Nothing found' : 'Nothing yet')],
          ['Started', createdAt && <Time key="started" at={createdAt} />],
          ['Ended', endedAt ? <Time key="ended" at={endedAt} /> : undefined],
        ]}
      />
    </li>
  );
}
