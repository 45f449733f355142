import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { OnlineRecipient as ApiRecipient } from '../../../../clients/js/src/generated/push';
import { useDescription, useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { timeColumn } from '../../ui/columns';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { RecipientDetail } from './recipient-detail';
import { sampleOf } from '../../ui/sample';
import styles from '../push.module.css';

type OnlineRecipient = Omit<ApiRecipient, '__typename'>;

const recipientHref = (recipient: string): string => `/online/${encodeURIComponent(recipient)}`;

const COLUMNS: readonly Column<OnlineRecipient>[] = [
  {
    word: 'Recipient',
    line: 'who',
    sortBy: ({ recipient }) => recipient ?? '',
    cell: ({ recipient }) => <strong className="truncate">{recipient}</strong>,
  },
  {
    word: 'Connections',
    width: 120,
    room: 'medium',
    line: 'what',
    sortBy: ({ connections }) => connections ?? 1,
    cell: ({ connections }) => <span className="muted">{plural(connections ?? 1, 'connection')}</span>,
  },
  timeColumn('Connected', ({ connectedAt }) => connectedAt, { line: 'when' }),
];

/** Recipients that are connected now. */
export function OnlineTab({ openName }: { openName: string | undefined }) {
  const [, navigate] = useLocation();
  const refusal = useRefusal(['websockets-manager', 'query', 'onlineRecipients']);
  const online = usePages<OnlineRecipient>({
    queryKey: ['push', 'online'],
    read: ({ push }, nextToken, signal) => push.onlineRecipients({ ...(nextToken && { nextToken }) }, undefined, { signal }),
    isEnabled: !refusal,
    live: 'websockets-manager',
  });
  return (
    <ListPage
      refusal={refusal}
      tried="load online recipients"
      label="Recipients online"
      // Stays empty during polls while nobody is online.
      list={{ ...online, isLoading: online.isPending || (online.isLoading && online.items.length > 0) }}
      keyOf={({ recipient }) => recipient ?? ''}
      hrefOf={({ recipient }) => recipientHref(recipient ?? '')}
      openKey={openName}
      columns={COLUMNS}
      filters={
        <div className="filters">
          <LookUp onFind={(recipient) => navigate(recipientHref(recipient))} />
          <Count />
        </div>
      }
      empty={<NobodyOnline />}
      detail={openName && <RecipientDetail key={openName} recipient={openName} onClose={() => navigate('/online')} />}
    />
  );
}

function Count() {
  const { data } = useRead({
    queryKey: ['push', 'online count'],
    read: ({ push }, signal) => push.onlineRecipients({ limit: 1 }, { count: true }, { signal }),
    live: 'websockets-manager',
  });
  return (
    <span className="muted small" role="status">
      {typeof data?.count === 'number' && `${plural(data.count, 'recipient')} online`}
    </span>
  );
}

/** Opens a recipient by the whole name, connected or not. */
function LookUp({ onFind }: { onFind: (recipient: string) => void }) {
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', () => field.current?.focus());
  return (
    <form
      className={`row ${styles.lookUp}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (name) onFind(name);
      }}
    >
      <input
        ref={field}
        className="input"
        type="search"
        aria-label="Exact recipient"
        placeholder="Exact recipient"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
      />
      <Button type="submit" size="small" disabled={name === ''}>
        Look up
      </Button>
    </form>
  );
}

function NobodyOnline() {
  const { prefix } = useDescription();
  const [, navigate] = useLocation();
  const query = 'mutation { registerRecipient(input: {recipient: "ann"}) { connectionUri } }';
  return (
    <Empty
      title="No one is online"
      action={
        <Button look="primary" onClick={() => navigate('/clients')}>
          Connect a test client
        </Button>
      }
      sample={<Snippet label="request to register a recipient" code={sampleOf(prefix, 'websockets-manager', query)} />}
    >
      <p className="muted">Register a recipient on your server, then connect the client to the returned URL.</p>
    </Empty>
  );
}
