import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useAction } from '../../api/use-action';
import { useRead } from '../../api/use-read';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { Detail, Facts } from '../../ui/page';
import { NoDetail } from '../../ui/no-detail';
import { Status, Time } from '../../ui/status';
import { useStartPush, waitLike } from '../model/draft';
import { MessageText } from '../parts/message-text';
import { firstLine, type GlobalMessage, globalStateOf, tooLate } from '../model/message';
import { Outcome } from '../parts/outcome';
import { findGlobalMessage, REMOVED } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';

/** One message to everyone. */
export function GlobalDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useRead({
    queryKey: ['push', 'global', id],
    read: (api, signal) => findGlobalMessage(api, id, signal),
    live: 'websockets-manager',
  });
  if (query.data) return <Found message={query.data} onClose={onClose} />;
  return (
    <NoDetail word="broadcast" query={query} onClose={onClose}>
      {REMOVED}
    </NoDetail>
  );
}

function Found({ message, onClose }: { message: GlobalMessage; onClose: () => void }) {
  const startPush = useStartPush();
  const { id, topic, createdAt, expiresAt, cancelledAt } = message;
  const queries = useQueryClient();
  const cancelling = useAction(({ push }) => push.cancelGlobalMessage({ id }), {
    done: 'Broadcast cancelled',
    again: ['push', 'outcome', id],
    onDone: (cancelled) => {
      queries.setQueryData(['push', 'global', id], cancelled);
      bringUpToDate(queries, ['push', 'globals'], [cancelled as GlobalMessage]);
    },
  });
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
          <Button size="small" right={['websockets-manager', 'mutation', 'pushGlobalMessage']} onClick={again}>
            Send again
          </Button>
          {!cancelledAt && (
            <ConfirmButton
              word="Cancel message"
              size="small"
              right={['websockets-manager', 'mutation', 'cancelGlobalMessage']}
              refusal={tooLate(message)}
              title={`Cancel “${firstLine(message.message).slice(0, 60)}”?`}
              action="Cancel message"
              onConfirm={() => cancelling.mutateAsync()}
            >
              New recipients won’t get this message. Copies in transit may still arrive.
            </ConfirmButton>
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
    </Detail>
  );
}
