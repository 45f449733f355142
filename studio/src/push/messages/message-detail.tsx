import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { useCommands } from '../../shell/commands';
import { Button, Confirm } from '../../ui/controls';
import { copyId, CopyText } from '../../ui/copy';
import { Detail, Facts, Sides } from '../../ui/page';
import { Empty, ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useStartPush, waitLike } from '../model/draft';
import { isFinal, type Message, reasonOf, stateOf } from '../model/message';
import { findMessage } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';
import { MessageText } from '../parts/message-text';
import { MessageWay } from './message-way';

/** One message: its delivery, its text, and its actions. */
export function MessageDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const [known] = useState(() => listed(queries.getQueriesData({ queryKey: ['push', 'messages'] }), id));
  const { data, error, refetch } = useQuery({
    queryKey: ['push', 'message', id],
    queryFn: ({ signal }) => findMessage(api, id, known?.recipient, signal),
    placeholderData: known,
    staleTime: ({ state }) => (state.data && isFinal(state.data) ? Infinity : 0),
    meta: keptLive('websockets-manager', (message: Message | null) => message !== null && !isFinal(message)),
  });
  useEffect(() => {
    if (data) bringUpToDate(queries, ['push', 'messages'], [data]);
  }, [queries, data]);
  if (data) return <Found message={data} onClose={onClose} />;
  return (
    <Detail title="Message" onClose={onClose}>
      {error ? (
        <ErrorNotice error={error} tried="load the message" onRetry={() => void refetch()} />
      ) : data === null ? (
        <Empty title="Message not found" action={<Button onClick={onClose}>Show all messages</Button>}>
          <p className="muted">Messages are removed 30 days after they end, unless the server has a custom retention period.</p>
        </Empty>
      ) : (
        <Skeleton lines={10} label="Loading message" />
      )}
    </Detail>
  );
}

type Listed = readonly (readonly [unknown, unknown])[];

/** The message as a list has it. */
function listed(lists: Listed, id: string): Message | undefined {
  const pages = lists.flatMap(([, data]) => (data as { pages: { items: Message[] }[] } | undefined)?.pages ?? []);
  return pages.flatMap(({ items }) => items).find((item) => item.id === id);
}

function Found({ message, onClose }: { message: Message; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const startPush = useStartPush();
  const pushRefusal = useRefusal(['websockets-manager', 'mutation', 'pushMessage']);
  const cancelRefusal = useRefusal(['websockets-manager', 'mutation', 'cancelMessage']);
  const { id, recipient, topic, createdAt, globalMessageId } = message;
  useCommands(useMemo(() => [{ id: 'copy message', group: 'Copy', word: 'Message ID', run: () => copyId(id) }], [id]));
  const again = () =>
    startPush({ recipients: [recipient], topic: topic ?? '', message: message.message, wait: waitLike(message) });
  return (
    <Detail
      of={{
        id,
        json: message,
        request: {
          service: 'push',
          operation: 'messages',
          variables: { filter: { recipient, createdAt: { from: createdAt, to: createdAt } } },
        },
      }}
      title={`To ${recipient}`}
      onClose={onClose}
      actions={
        <>
          <Button size="small" refusal={pushRefusal} onClick={again}>
            Send again
          </Button>
          {!isFinal(message) && (
            <Button size="small" look="danger" refusal={cancelRefusal} onClick={() => setAsking(true)}>
              Cancel message
            </Button>
          )}
        </>
      }
    >
      <div className="row wrap">
        <Status {...stateOf(message)} />
        <span className="muted small">{reasonOf(message)}</span>
      </div>
      <Sides first={<MessageWay message={message} />} second={<MessageText text={message.message} />} />
      <Facts
        of={[
          ['Recipient', <CopyText key="recipient" text={recipient} label="Copy recipient" />],
          ['Topic', topic],
          ['Sent', <Time key="pushed" at={createdAt} />],
          ['Expires', expiryOf(message)],
          [
            'Broadcast',
            globalMessageId ? (
              <Link key="global" href={`/global/${globalMessageId}`}>
                Show broadcast
              </Link>
            ) : undefined,
          ],
        ]}
      />
      <p className="small">
        <Link href={`/?${new URLSearchParams({ recipient }).toString()}`}>Show all messages to this recipient</Link>
      </p>
      <TakeBack message={message} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Detail>
  );
}

/** Expiry of a message; nothing for one that finished before. */
function expiryOf({ expiresAt, cancelledAt, status }: Message) {
  if (!expiresAt) return 'Immediately';
  return status === 'PENDING' || cancelledAt === expiresAt ? <Time at={expiresAt} /> : undefined;
}

function TakeBack({ message, isOpen, onClose }: { message: Message; isOpen: boolean; onClose: () => void }) {
  const { push } = useApi();
  const queries = useQueryClient();
  const { error, mutateAsync, reset } = useMutation({
    meta: { done: 'Message cancelled' },
    mutationFn: () => push.cancelMessage({ id: message.id }),
    onSuccess: async (cancelled) => {
      queries.setQueryData(['push', 'message', message.id], cancelled);
      bringUpToDate(queries, ['push', 'messages'], [cancelled as Message]);
      await queries.invalidateQueries({ queryKey: ['push', 'waiting'] });
    },
  });
  const close = () => {
    reset();
    onClose();
  };
  return (
    <Confirm
      title={`Cancel the message to ${message.recipient}?`}
      action="Cancel message"
      isOpen={isOpen}
      onClose={close}
      onConfirm={() => mutateAsync()}
    >
      <div className="stack">
        <p>New connections won’t get this message. A copy in transit may still arrive.</p>
        {error && <ErrorNotice error={error} tried="cancel the message" />}
      </div>
    </Confirm>
  );
}
