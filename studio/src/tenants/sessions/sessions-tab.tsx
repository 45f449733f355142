import { type ReactNode, useState } from 'react';
import type { Session as ApiSession } from '../../../../clients/js/src/generated/admin';
import type { Selected } from '../../../../clients/js/src/selection';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { textColumn, timeColumn } from '../../ui/columns';
import { Confirm } from '../../ui/confirm';
import { ListPage } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { usePages } from '../../ui/use-pages';

const FIELDS = { id: true, personId: true, name: true, roles: true, createdAt: true, expiresAt: true, revokedAt: true } as const;
type Session = Selected<ApiSession, typeof FIELDS>;

/** Sessions of people who signed in, each of which an operator can end. */
export function SessionsTab({ tabs }: { tabs: ReactNode }) {
  const refusal = useRefusal(['admin', 'query', 'sessions']);
  const cannotEnd = useRefusal(['admin', 'mutation', 'revokeSession']);
  const [ending, setEnding] = useState<Session>();
  const sessions = usePages({
    queryKey: ['admin', 'sessions'],
    read: ({ admin }, nextToken, signal) =>
      admin.sessions({ nextToken: nextToken ?? null }, { items: FIELDS, nextToken: true }, { signal }),
    isEnabled: !refusal,
    live: 'admin',
  });
  const revoking = useAction((api, id: string) => api.admin.revokeSession({ id }), {
    done: 'Session ended',
    again: ['admin', 'sessions'],
  });
  return (
    <>
      <ListPage
        head={<PageHead title="Tenants">{tabs}</PageHead>}
        refusal={refusal}
        tried="list sessions"
        label="Sessions"
        list={sessions}
        keyOf={({ id }) => id!}
        hrefOf={() => '/sessions'}
        actionsOf={(one) => [
          !one.revokedAt && { label: 'End session', isDanger: true, refusal: cannotEnd, onSelect: () => setEnding(one) },
        ]}
        columns={COLUMNS}
        empty={
          <Empty title="Nobody is signed in">
            <p className="muted">People sign in by OpenID Connect if the server has OIDC_ISSUER.</p>
          </Empty>
        }
      />
      <Confirm
        title={`End the session of ${ending?.name}?`}
        action="End session"
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        onConfirm={() => revoking.mutateAsync(ending!.id!)}
      >
        Requests with it fail within 5 seconds.
      </Confirm>
    </>
  );
}

const COLUMNS: readonly Column<Session>[] = [
  {
    word: 'Person',
    line: 'who',
    cell: ({ name, personId }) => (
      <span className="truncate" title={personId!}>
        {name}
      </span>
    ),
  },
  {
    word: 'Status',
    width: 96,
    line: 'state',
    cell: ({ revokedAt }) => <Status {...(revokedAt ? { kind: 'none', word: 'Ended' } : { kind: 'good', word: 'Active' })} />,
  },
  textColumn('Roles', ({ roles }) => roles?.join(', '), { room: 'medium' }),
  timeColumn('Signed in', ({ createdAt }) => createdAt),
  timeColumn('Expires', ({ expiresAt }) => expiresAt, { room: 'wide' }),
];
