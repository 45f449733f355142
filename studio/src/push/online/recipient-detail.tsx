import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { Button, Confirm } from '../../ui/controls';
import { CopyText } from '../../ui/copy';
import { formatCount, plural } from '../../ui/format';
import { Detail } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useStartPush } from '../model/draft';
import styles from '../push.module.css';
import { TableHead } from '../../ui/table-head';

const SHOWN = 200;

/** One recipient: its open connections, and its actions. */
export function RecipientDetail({ recipient, onClose }: { recipient: string; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const startPush = useStartPush();
  const pushRefusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const { data } = useConnections(recipient);
  const disconnectRefusal = useRefusal(['websockets-manager', 'mutation', 'disconnectRecipient']);
  return (
    <Detail
      {...(data && { of: { json: data } })}
      title={recipient}
      onClose={onClose}
      actions={
        <>
          <Button size="small" refusal={pushRefusal} onClick={() => startPush({ recipients: [recipient] })}>
            Send a message
          </Button>
          <Button size="small" look="danger" refusal={disconnectRefusal} onClick={() => setAsking(true)}>
            Disconnect
          </Button>
        </>
      }
    >
      <Connections recipient={recipient} />
      <div className="stack tight small">
        <CopyText text={recipient} label="Copy name" />
        <Link href={`/?${new URLSearchParams({ recipient }).toString()}`}>Show messages to this recipient</Link>
      </div>
      <Disconnect recipient={recipient} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Detail>
  );
}

function useConnections(recipient: string) {
  const { push } = useApi();
  const refusal = useRefusal(['websockets-manager', 'query', 'connections']);
  const query = useQuery({
    queryKey: ['push', 'connections', recipient],
    queryFn: ({ signal }) => push.connections({ recipient }, undefined, { signal }),
    enabled: !refusal,
    meta: keptLive('websockets-manager'),
  });
  return { ...query, refusal };
}

function Connections({ recipient }: { recipient: string }) {
  const { data, error, refetch, refusal } = useConnections(recipient);
  if (refusal) return <p className="muted">{refusal}, so the connections aren’t available.</p>;
  if (error && !data) return <ErrorNotice error={error} tried="load connections" onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={4} label="Loading connections" />;
  return (
    <section className="stack tight" aria-label="Connections">
      <div className="row">
        {data.length > 0 ? <Status kind="good" word="Online" /> : <Status kind="none" word="Offline" />}
        {data.length > 0 && <span className="muted small">{plural(data.length, 'connection')}</span>}
      </div>
      {data.length === 0 && <p className="muted">Waiting messages are sent once the recipient connects.</p>}
      {data.length > 0 && (
        <div className={styles.table} tabIndex={0} role="region" aria-label="Connections: table">
          <table>
            <TableHead of={['Connected', 'Topic', 'IP address', 'ID']} />
            <tbody>
              {data.slice(0, SHOWN).map(({ id, connectedAt, topic, sourceIp }) => (
                <tr key={id}>
                  <td>{connectedAt && <Time at={connectedAt} />}</td>
                  <td className="break">{topic ?? <span className="muted">none</span>}</td>
                  <td>
                    <code>{sourceIp}</code>
                  </td>
                  <td className="id">
                    <CopyText text={id} label="Copy connection ID" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.length > SHOWN && <p className="muted small">and {formatCount(data.length - SHOWN)} more</p>}
        </div>
      )}
    </section>
  );
}

function Disconnect({ recipient, isOpen, onClose }: { recipient: string; isOpen: boolean; onClose: () => void }) {
  const { push } = useApi();
  const queries = useQueryClient();
  const { error, mutateAsync, reset } = useMutation({
    meta: { done: 'Recipient disconnected' },
    mutationFn: () => push.disconnectRecipient({ recipient }),
    onSuccess: () =>
      Promise.all(
        ['connections', 'online', 'online count'].map((name) => queries.invalidateQueries({ queryKey: ['push', name] })),
      ),
  });
  const close = () => {
    reset();
    onClose();
  };
  return (
    <Confirm
      title={`Disconnect ${recipient}?`}
      action="Disconnect"
      isOpen={isOpen}
      onClose={close}
      onConfirm={() => mutateAsync()}
    >
      <div className="stack">
        <p>All connections are closed and the connection URLs stop working. Your server can register the recipient again.</p>
        {error && <ErrorNotice error={error} tried="disconnect the recipient" />}
      </div>
    </Confirm>
  );
}
