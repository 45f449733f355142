import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { Button, Confirm } from '../../ui/controls';
import { Detail, Facts } from '../../ui/page';
import { Empty, ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useStartPush, waitLike } from '../model/draft';
import { MessageText } from '../parts/message-text';
import { firstLine, type GlobalMessage, globalStateOf, tooLate } from '../model/message';
import { Outcome } from '../parts/outcome';
import { findGlobalMessage } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';

/** One message to everyone. */
export function GlobalDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['push', 'global', id],
    queryFn: ({ signal }) => findGlobalMessage(api, id, signal),
    meta: keptLive('websockets-manager'),
  });
  if (data) return <Found message={data} onClose={onClose} />;
  return (
    <Detail title="Broadcast" onClose={onClose}>
      {error ? (
        <ErrorNotice error={error} tried="load the broadcast" onRetry={() => void refetch()} />
      ) : data === null ? (
        <Empty title="Broadcast not found" action={<Button onClick={onClose}>Show all broadcasts</Button>}>
          <p className="muted">Messages are removed 30 days after they end, unless the server has a custom retention period.</p>
        </Empty>
      ) : (
        <Skeleton lines={10} label="Loading broadcast" />
      )}
    </Detail>
  );
}

function Found({ message, onClose }: { message: GlobalMessage; onClose: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const startPush = useStartPush();
  const pushRefusal = useRefusal(['websockets-manager', 'mutation', 'pushGlobalMessage']);
  const scopeRefusal = useRefusal(['websockets-manager', 'mutation', 'cancelGlobalMessage']);
  const { id, topic, createdAt, expiresAt, cancelledAt } = message;
  const again = () => startPush({ to: 'everyone', topic: topic ?? '', message: message.message, wait: waitLike(message) });
  return (
    <Detail
      of={{
        id,
        json: message,
        request: {
          service: 'push',
          operation: 'globalMessages',
          variables: { filter: { createdAt: { from: message.createdAt, to: message.createdAt } } },
        },
      }}
      title={firstLine(message.message) || 'Broadcast'}
      onClose={onClose}
      actions={
        <>
          <Button size="small" refusal={pushRefusal} onClick={again}>
            Send again
          </Button>
          {!cancelledAt && (
            <Button size="small" look="danger" refusal={scopeRefusal ?? tooLate(message)} onClick={() => setAsking(true)}>
              Cancel message
            </Button>
          )}
        </>
      }
    >
      <div>
        <Status {...globalStateOf(message)} />
      </div>
      <Outcome globalMessageId={id} />
      <MessageText text={message.message} />
      <Facts
        of={[
          ['Topic', topic],
          ['Sent', <Time key="pushed" at={createdAt} />],
          ['Expires', cancelledAt ? undefined : expiresAt ? <Time key="expires" at={expiresAt} /> : 'Immediately'],
          ['Cancelled', cancelledAt ? <Time key="cancelled" at={cancelledAt} /> : undefined],
        ]}
      />
      <p className="small">
        <Link href={`/?${new URLSearchParams({ global: id }).toString()}`}>Show messages by recipient</Link>
      </p>
      <TakeBack message={message} isOpen={isAsking} onClose={() => setAsking(false)} />
    </Detail>
  );
}

function TakeBack({ message, isOpen, onClose }: { message: GlobalMessage; isOpen: boolean; onClose: () => void }) {
  const { push } = useApi();
  const queries = useQueryClient();
  const { error, mutateAsync, reset } = useMutation({
    meta: { done: 'Broadcast cancelled' },
    mutationFn: () => push.cancelGlobalMessage({ id: message.id }),
    onSuccess: async (cancelled) => {
      queries.setQueryData(['push', 'global', message.id], cancelled);
      bringUpToDate(queries, ['push', 'globals'], [cancelled as GlobalMessage]);
      await queries.invalidateQueries({ queryKey: ['push', 'outcome', message.id] });
    },
  });
  const close = () => {
    reset();
    onClose();
  };
  return (
    <Confirm
      title={`Cancel “${firstLine(message.message).slice(0, 60)}”?`}
      action="Cancel message"
      isOpen={isOpen}
      onClose={close}
      onConfirm={() => mutateAsync()}
    >
      <div className="stack">
        <p>New recipients won’t get this message. Copies in transit may still arrive.</p>
        {error && <ErrorNotice error={error} tried="cancel the broadcast" />}
      </div>
    </Confirm>
  );
}
