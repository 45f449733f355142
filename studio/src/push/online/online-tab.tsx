import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { plural } from '../../ui/format';
import { Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { Time } from '../../ui/status';
import { usePages } from '../../ui/use-pages';
import { RecipientDetail } from './recipient-detail';

const REFRESH_MS = 3_000;
const recipientHref = (recipient: string): string => `/online/${encodeURIComponent(recipient)}`;

/** Recipients that are connected now. */
export function OnlineTab({ openName }: { openName: string | undefined }) {
  const [, navigate] = useLocation();
  const refusal = useRefusal(['websockets-manager', 'query', 'onlineRecipients']);
  if (refusal) return <NoPermission what="see who is online" refusal={refusal} />;
  return (
    <>
      <div className="filters">
        <LookUp onFind={(recipient) => navigate(recipientHref(recipient))} />
        <Count />
      </div>
      <Split
        list={<OnlineList openName={openName} />}
        detail={openName && <RecipientDetail key={openName} recipient={openName} onClose={() => navigate('/online')} />}
      />
    </>
  );
}

function Count() {
  const { push } = useApi();
  const { data } = useQuery({
    queryKey: ['push', 'online count'],
    queryFn: ({ signal }) => push.onlineRecipients({ limit: 1 }, { count: true }, { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <span className="muted small" role="status">
      {typeof data?.count === 'number' && `${plural(data.count, 'recipient')} online`}
    </span>
  );
}

/** Goes to a recipient by the whole name, whether it is connected or not. */
function LookUp({ onFind }: { onFind: (recipient: string) => void }) {
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', () => field.current?.focus());
  return (
    <form
      className="row push-look-up"
      onSubmit={(event) => {
        event.preventDefault();
        if (name) onFind(name);
      }}
    >
      <input
        ref={field}
        className="input"
        type="search"
        aria-label="Recipient, whole name"
        placeholder="Recipient, whole name"
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

function OnlineList({ openName }: { openName: string | undefined }) {
  const { push } = useApi();
  const { items, error, hasMore, isLoading, readMore, readAgain } = usePages({
    queryKey: ['push', 'online'],
    read: (nextToken, signal) => push.onlineRecipients({ ...(nextToken && { nextToken }) }, undefined, { signal }),
    everyMs: REFRESH_MS,
  });
  if (error && items.length === 0) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="list who is online" onRetry={readAgain} />
      </div>
    );
  }
  return (
    <Records
      label="Recipients online"
      items={items}
      keyOf={({ recipient }) => recipient ?? ''}
      hrefOf={({ recipient }) => recipientHref(recipient ?? '')}
      openKey={openName}
      hasMore={hasMore && !error}
      onMore={readMore}
      isLoading={isLoading && items.length > 0}
      empty={<NobodyOnline />}
    >
      {({ recipient, connections, connectedAt }) => (
        <span className="push-row online">
          <strong className="name truncate">{recipient}</strong>
          <span className="text muted">{plural(connections ?? 1, 'connection')}</span>
          <span className="at muted small">
            connected <Time at={connectedAt ?? ''} />
          </span>
        </span>
      )}
    </Records>
  );
}

function NobodyOnline() {
  const { prefix } = useDescription();
  const [, navigate] = useLocation();
  const query = 'mutation { registerRecipient(input: {recipient: \\"ann\\"}) { connectionUri } }';
  return (
    <Empty
      title="Nobody is connected"
      action={
        <Button look="primary" onClick={() => navigate('/clients')}>
          Connect a test client
        </Button>
      }
    >
      <p className="muted">Your server registers a recipient and gives the page an address to connect to:</p>
      <Snippet
        label="the request that registers a recipient"
        code={`curl ${location.origin}/websockets-manager/graphql \\
  -H 'x-api-key: ${prefix}…' -H 'content-type: application/json' \\
  -d '{"query": "${query}"}'`}
      />
    </Empty>
  );
}
