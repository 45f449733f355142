import { Link } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { useRead } from '../../api/use-read';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
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
  const startPush = useStartPush();
  const { data } = useConnections(recipient);
  const disconnecting = useAction(({ push }) => push.disconnectRecipient({ recipient }), {
    done: 'Recipient disconnected',
    again: ['push'],
  });
  return (
    <Detail
      {...(data && { of: { json: data } })}
      title={recipient}
      onClose={onClose}
      actions={
        <>
          <Button
            size="small"
            right={['websockets-manager', 'mutation', 'pushMessage']}
            onClick={() => startPush({ recipients: [recipient] })}
          >
            Send a message
          </Button>
          <ConfirmButton
            word="Disconnect"
            size="small"
            right={['websockets-manager', 'mutation', 'disconnectRecipient']}
            title={`Disconnect ${recipient}?`}
            action="Disconnect recipient"
            onConfirm={() => disconnecting.mutateAsync()}
          >
            All connections are closed and the connection URLs stop working. Your server can register the recipient again.
          </ConfirmButton>
        </>
      }
    >
      <Connections recipient={recipient} />
      <div className="stack tight small">
        <CopyText text={recipient} label="Copy name" />
        <Link href={`/?${new URLSearchParams({ recipient }).toString()}`}>Show messages to this recipient</Link>
        <Link href={`/inbox?${new URLSearchParams({ recipient }).toString()}`}>Show inbox</Link>
      </div>
    </Detail>
  );
}

function useConnections(recipient: string) {
  const refusal = useRefusal(['websockets-manager', 'query', 'connections']);
  const query = useRead({
    queryKey: ['push', 'connections', recipient],
    read: ({ push }, signal) => push.connections({ recipient }, undefined, { signal }),
    enabled: !refusal,
    live: 'websockets-manager',
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
