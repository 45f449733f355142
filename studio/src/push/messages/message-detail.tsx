import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../../api/use-action';
import { useRead } from '../../api/use-read';
import { useCommands } from '../../shell/commands';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { copyId, CopyText } from '../../ui/copy';
import { Detail, Facts, Sides } from '../../ui/page';
import { NoDetail } from '../../ui/no-detail';
import { Status, Time } from '../../ui/status';
import { useStartPush, waitLike } from '../model/draft';
import { type Fallback, fallbackStateOf, isFinal, isOver, type Message, reasonOf, stateOf } from '../model/message';
import { findMessage, REMOVED } from '../model/read';
import { bringUpToDate } from '../model/use-live-list';
import { MessageText } from '../parts/message-text';
import { MessageWay } from './message-way';

/** One message: its delivery, its text, and its actions. */
export function MessageDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const queries = useQueryClient();
  const [known] = useState(() => listed(queries.getQueriesData({ queryKey: ['push', 'messages'] }), id));
  const query = useRead({
    queryKey: ['push', 'message', id],
    read: (api, signal) => findMessage(api, id, known?.recipient, signal),
    placeholderData: known,
    staleTime: ({ state }) => (state.data && isOver(state.data) ? Infinity : 0),
    live: 'websockets-manager',
    isOnItsWay: (message: Message | null) => message !== null && !isOver(message),
  });
  const { data } = query;
  useEffect(() => {
    if (data) bringUpToDate(queries, ['push', 'messages'], [data]);
  }, [queries, data]);
  if (data) return <Found message={data} onClose={onClose} />;
  return (
    <NoDetail word="message" query={query} onClose={onClose}>
      {REMOVED}
    </NoDetail>
  );
}

type Listed = readonly (readonly [unknown, unknown])[];

/** The message as a list has it. */
function listed(lists: Listed, id: string): Message | undefined {
  const pages = lists.flatMap(([, data]) => (data as { pages: { items: Message[] }[] } | undefined)?.pages ?? []);
  return pages.flatMap(({ items }) => items).find((item) => item.id === id);
}

function Found({ message, onClose }: { message: Message; onClose: () => void }) {
  const startPush = useStartPush();
  const { id, recipient, topic, createdAt, globalMessageId } = message;
  useCommands(useMemo(() => [{ id: 'copy message', group: 'Copy', word: 'Message ID', run: () => copyId(id) }], [id]));
  const queries = useQueryClient();
  const cancelling = useAction(({ push }) => push.cancelMessage({ id }), {
    done: 'Message cancelled',
    again: ['push', 'waiting'],
    onDone: (cancelled) => {
      queries.setQueryData(['push', 'message', id], cancelled);
      bringUpToDate(queries, ['push', 'messages'], [cancelled as Message]);
    },
  });
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
          <Button size="small" right={['websockets-manager', 'mutation', 'pushMessage']} onClick={again}>
            Send again
          </Button>
          {!isFinal(message) && (
            <ConfirmButton
              word="Cancel message"
              size="small"
              right={['websockets-manager', 'mutation', 'cancelMessage']}
              title={`Cancel the message to ${recipient}?`}
              action="Cancel message"
              onConfirm={() => cancelling.mutateAsync()}
            >
              New connections won’t get this message. A copy in transit may still arrive.
            </ConfirmButton>
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
          ...inboxFactsOf(message),
          ['Fallback email', message.fallback ? <FallbackFact key="fallback" fallback={message.fallback} /> : undefined],
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
    </Detail>
  );
}

/** Mail in place of the message: its state, its time, and the mail or the reason. */
function FallbackFact({ fallback }: { fallback: Fallback }) {
  const { emailId, at, error } = fallback;
  return (
    <span className="row wrap">
      <Status {...fallbackStateOf(fallback)} />
      <Time at={at} />
      {emailId && <Link href={`~/studio/email/${emailId}`}>Show email</Link>}
      {error && <span className="small break">{error}</span>}
    </span>
  );
}

/** Marks of the recipient on a message in its inbox. */
function inboxFactsOf({ inbox, recipient, seenAt, readAt, archivedAt }: Message): [string, ReactNode][] {
  if (!inbox) return [];
  const timeOf = (at: string | null) => (at ? <Time at={at} /> : undefined);
  return [
    [
      'Inbox',
      <Link key="inbox" href={`/inbox?${new URLSearchParams({ recipient }).toString()}`}>
        Show inbox
      </Link>,
    ],
    ['Seen', timeOf(seenAt)],
    ['Read', timeOf(readAt)],
    ['Archived', timeOf(archivedAt)],
  ];
}

/** Expiry of a message; nothing for one that finished before. */
function expiryOf({ expiresAt, cancelledAt, status }: Message) {
  if (!expiresAt) return 'Immediately';
  return status === 'PENDING' || cancelledAt === expiresAt ? <Time at={expiresAt} /> : undefined;
}
