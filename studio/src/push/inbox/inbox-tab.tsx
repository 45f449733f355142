import type { ReactNode } from 'react';
import { useRecipientSearch } from '../parts/recipient-search';
import { useLocation, useSearch } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { textColumn, timeColumn } from '../../ui/columns';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { formatCount, plural } from '../../ui/format';
import { ListPage } from '../../ui/list-page';
import type { Column } from '../../ui/records';
import { Empty, ErrorNotice } from '../../ui/states';
import { Status } from '../../ui/status';
import { type Chosen, useChoice } from '../../ui/use-choice';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { MessageDetail } from '../messages/message-detail';
import { firstLine, inboxStateOf, type Message } from '../model/message';
import type { Page } from '../model/read';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';

/** Count at which the API stops. */
const MOST_UNREAD = 1_000;
const PAGE = 100;
const SHOWN = { unread: { read: false }, read: { read: true }, archived: { archived: true } } as const;
const FILTERS: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'show',
    word: 'Show',
    values: [
      ['unread', 'Unread'],
      ['read', 'Read'],
      ['archived', 'Archived'],
    ],
  },
];
const isShown = (text: string | undefined): text is keyof typeof SHOWN => text !== undefined && Object.hasOwn(SHOWN, text);

const COLUMNS: readonly Column<Message>[] = [
  { word: 'State', width: 112, line: 'state', cell: (message) => <Status {...inboxStateOf(message)} /> },
  textColumn('Message', ({ message }) => firstLine(message), { share: 4, line: 'what' }),
  timeColumn('Seen', ({ seenAt }) => seenAt, { room: 'wide' }),
  timeColumn('Read', ({ readAt }) => readAt, { room: 'medium' }),
  timeColumn('Archived', ({ archivedAt }) => archivedAt, { room: 'wide' }),
  timeColumn('Expires', ({ expiresAt }) => expiresAt, { width: 104, room: 'wide' }),
  timeColumn('Sent', ({ createdAt }) => createdAt, { line: 'when' }),
];

/** The inbox of one recipient, newest first. */
export function InboxTab({ openId }: { openId: string | undefined }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = search && `?${search}`;
  const refusal = useRefusal(['websockets-manager', 'query', 'inbox']);
  const [{ recipient = '', show }] = useFilters();
  const filter = isShown(show) ? SHOWN[show] : {};
  const list = usePages<Message>({
    queryKey: ['push', 'inbox', recipient, filter],
    read: async ({ push }, nextToken, signal) => {
      const variables = { recipient, filter, limit: PAGE, ...(nextToken && { nextToken }) };
      return (await push.inbox(variables, undefined, { signal })) as Page<Message>;
    },
    isEnabled: !refusal && recipient !== '',
    live: 'websockets-manager',
  });
  const byRecipient = useRecipientSearch();
  const chosen = useChoice<Message>({ list, keyOf: ({ id }) => id, item: 'message', filter: [recipient, filter] });
  const actions = useInboxChoice(recipient, chosen);
  return (
    <ListPage
      refusal={refusal}
      tried="load the inbox"
      label="Inbox"
      list={recipient === '' ? { ...list, items: [], isPending: false, isLoading: false } : list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/inbox/${id}${query}`}
      openKey={openId}
      columns={COLUMNS}
      choice={{ ...chosen, mayChoose: ({ archivedAt }) => !archivedAt, actions }}
      filters={
        <>
          <FilterBar search={byRecipient} filters={FILTERS} list={list} counted={['message', 'messages']} />
          {recipient !== '' && !refusal && <Unread recipient={recipient} />}
        </>
      }
      empty={recipient === '' ? <NoRecipient /> : <Empty title={`No messages in the inbox of ${recipient}`} />}
      detail={openId && <MessageDetail key={openId} id={openId} onClose={() => navigate(`/inbox${query}`)} />}
    />
  );
}

function Unread({ recipient }: { recipient: string }) {
  const { data } = useRead({
    queryKey: ['push', 'unread', recipient],
    read: ({ push }, signal) => push.inbox({ recipient, limit: 1 }, { unread: true }, { signal }),
    live: 'websockets-manager',
  });
  const unread = data?.unread;
  return (
    <span className="muted small" role="status">
      {typeof unread === 'number' && `${formatCount(unread)}${unread === MOST_UNREAD ? ' or more' : ''} unread`}
    </span>
  );
}

function NoRecipient() {
  return (
    <Empty title="Whose inbox?">
      <p className="muted">Enter the exact name of a recipient. Messages pushed with “inbox” stay there until they expire.</p>
    </Empty>
  );
}

/** Maximum number of messages of one action. */
const AT_ONCE = 1_000;
type State = 'READ' | 'UNREAD' | 'ARCHIVED';

/** Actions on the selected messages of an inbox. */
function useInboxChoice(recipient: string, chosen: Chosen<Message>): ReactNode {
  const refusal = useRefusal(['websockets-manager', 'mutation', 'markMessages']);
  const { items } = chosen;
  const marking = useAction(({ push }, state: State) => push.markMessages({ recipient, ids: items.map(({ id }) => id), state }), {
    done: 'Inbox updated',
    again: ['push'],
    onDone: chosen.clear,
  });
  if (items.length === 0) return undefined;
  const tooMany = items.length > AT_ONCE ? `Select up to ${formatCount(AT_ONCE)} messages.` : undefined;
  const state = { size: 'small', refusal: refusal ?? tooMany, disabled: marking.isPending } as const;
  return (
    <>
      {chosen.summary()}
      <Button {...state} onClick={() => marking.mutate('READ')}>
        Mark as read
      </Button>
      <Button {...state} onClick={() => marking.mutate('UNREAD')}>
        Mark as unread
      </Button>
      <ConfirmButton
        {...state}
        word={`Archive ${formatCount(items.length)}`}
        title={`Archive ${plural(items.length, 'message')}?`}
        action="Archive messages"
        keep="Keep messages"
        onConfirm={() => marking.mutateAsync('ARCHIVED')}
      >
        They leave the inbox of {recipient} for good.
      </ConfirmButton>
      <Button size="small" look="plain" onClick={chosen.clear}>
        Clear selection
      </Button>
      {marking.error && <ErrorNotice error={marking.error} tried="mark the messages" />}
    </>
  );
}
