import { PlusIcon } from '@radix-ui/react-icons';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button, type MenuEntry } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { formatCount, plural } from '../../ui/format';
import { type Listing, ListPage } from '../../ui/list-page';
import { NoMatch } from '../../ui/no-match';
import { PageHead } from '../../ui/page';
import { useShortcut } from '../../ui/shortcuts';
import { Empty } from '../../ui/states';
import { useChoice } from '../../ui/use-choice';
import { SHORTEST_PART, useFilters } from '../../ui/use-search';
import { MAY_LIST, MAY_SEND, NO_FILTER, type OutboxFilter, type Row } from '../mails';
import { MailDetail } from '../message/mail-detail';
import { MAIL_COLUMNS } from './mail-columns';
import { useMailChoice } from './use-mail-choice';
import { useOutbox } from './use-outbox';
import { sampleOf } from '../../ui/sample';
import { LastDay } from '../../ui/chart-strip';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { MAIL_WORDS, SCHEDULED } from '../words';
import { toasts } from '../../ui/toasts';
import { CancelEmail, sendNowWord, useWaitingActions } from '../waiting-actions';
import styles from '../email.module.css';

/** Every mail of the tenant, newest first, with the chosen one. */
export function Outbox({ tabs, id }: { tabs: ReactNode; id: string | undefined }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const refusal = useRefusal(MAY_LIST);
  const sendRefusal = useRefusal(MAY_SEND);
  const write = useCallback(() => navigate('/compose'), [navigate]);
  useShortcut('c', sendRefusal ? undefined : write);
  useCommands(useMemo(() => commandsOf(navigate, sendRefusal), [navigate, sendRefusal]));
  const [{ status, scheduled, contains, id: sought, from, until, tag, tagValue, sort }, change] = useFilters();
  const filter = useMemo<OutboxFilter>(
    () => ({ status, scheduled, contains, id: sought, from, until, tag, tagValue }),
    [status, scheduled, contains, sought, from, until, tag, tagValue],
  );
  const upward = scheduled === 'true' ? 'SENDS_SOON' : 'OLDEST';
  const outbox = useOutbox(filter, sort === 'Time' ? upward : 'NEWEST', !refusal && !isBegun(contains));
  const { actionsOf, question } = useMailRowActions();
  const chosen = useChoice<Row>({ list: outbox, keyOf: ({ id: mail }) => mail, item: 'email', filter });
  const actions = useMailChoice(chosen);
  const hrefOf = (mail: string) => `/${mail}${search && `?${search}`}`;
  return (
    <>
      {question}
      <ListPage
        head={
          <PageHead
            title="Email"
            actions={
              <Button look="primary" refusal={sendRefusal} onClick={write}>
                <PlusIcon aria-hidden />
                New email
              </Button>
            }
          >
            {tabs}
            <Quota />
          </PageHead>
        }
        refusal={refusal}
        tried="list emails"
        label="Emails"
        list={outbox}
        keyOf={(mail) => mail.id}
        hrefOf={(mail) => hrefOf(mail.id)}
        openKey={id}
        columns={MAIL_COLUMNS}
        choice={{ ...chosen, mayChoose: () => true, actions }}
        filters={
          <>
            {!isFiltered(filter) && <ActivityChart />}
            <OutboxFilters list={outbox} />
          </>
        }
        empty={<NoMails filter={filter} onClear={() => change({ ...NO_FILTER })} />}
        detail={id && <MailDetail key={id} id={id} onClose={() => navigate(hrefOf(''))} />}
        actionsOf={actionsOf}
      />
    </>
  );
}

/** Number of mails sent today, and the daily limit. */
function Quota() {
  const { limits } = useDescription();
  const mails = limits.find(({ name }) => name === 'mailsPerDay');
  if (!mails || mails.limit === null) return undefined;
  const { used, limit } = mails;
  const isSpent = used >= limit;
  return (
    <span className={isSpent ? `${styles.quota} ${styles.spent}` : styles.quota} title="Resets at 00:00 UTC">
      {formatCount(used)} of {plural(limit, 'email')} today
    </span>
  );
}

function NoMails({ filter, onClear }: { filter: OutboxFilter; onClear: () => void }) {
  const { prefix } = useDescription();
  const [, navigate] = useLocation();
  if (isBegun(filter.contains)) {
    return (
      <Empty title="Enter at least 3 characters">
        <p className="muted">Search finds any part of a subject or of an address in To, Cc or Bcc, or a message ID.</p>
      </Empty>
    );
  }
  if (filter.scheduled && !isFiltered({ ...filter, scheduled: undefined })) {
    return (
      <Empty title="No emails are scheduled" action={<Button onClick={onClear}>Clear filters</Button>}>
        <p className="muted">Select “Send later” in a new email to schedule it.</p>
      </Empty>
    );
  }
  if (isFiltered(filter)) {
    return (
      <NoMatch what="emails">
        {filter.tag && 'Enter the exact name and value of a tag. '}
        Emails are removed 30 days after they are sent or fail, unless your tenant has a custom retention period.
      </NoMatch>
    );
  }
  return (
    <Empty
      title="No emails yet"
      action={
        <Button look="primary" right={MAY_SEND} onClick={() => navigate('/compose')}>
          <PlusIcon aria-hidden />
          New email
        </Button>
      }
      sample={<Snippet label="request to send an email" code={sampleOf(prefix, 'email', QUERY, VARIABLES)} />}
    >
      <p className="muted">Sent email appears here with its delivery status for each recipient.</p>
    </Empty>
  );
}

const QUERY = 'mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }';
const VARIABLES = { i: { to: { address: 'ann@example.com' }, subject: 'Hello', textBody: 'Hello Ann' } };

function commandsOf(navigate: (path: string) => void, sendRefusal: string | undefined): Command[] {
  const write: Command[] = sendRefusal
    ? []
    : [{ id: 'email write', group: 'Create', word: 'New email', run: () => navigate('/compose') }];
  return [
    ...write,
    { id: 'email failed', group: 'Show', word: 'Failed emails', run: () => navigate('/?status=FAILED') },
    { id: 'email queued', group: 'Show', word: 'Queued emails', run: () => navigate('/?status=QUEUED') },
    { id: 'email scheduled', group: 'Show', word: 'Scheduled emails', run: () => navigate('/?scheduled=true') },
    { id: 'email senders', group: 'Show', word: 'Senders', run: () => navigate('/senders') },
    { id: 'email domains', group: 'Show', word: 'Domains', run: () => navigate('/domains') },
    { id: 'email suppressions', group: 'Show', word: 'Suppressions', run: () => navigate('/suppressions') },
  ];
}

const COLUMNS = [
  ['Sent', '--chart-good', 'sent'],
  ['Queued', '--chart-wait', 'queued'],
  ['Failed', '--chart-bad', 'failed'],
] as const;

/** The mails of the last day. */
function ActivityChart() {
  const [, change] = useFilters();
  return (
    <LastDay
      name="email"
      service="email"
      label="Emails by hour and status"
      read={({ email }, signal) => email.messageActivity({}, undefined, { signal })}
      columns={COLUMNS}
      onSelect={(from, until) => change({ from, until })}
    />
  );
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WAITING = 'scheduled';

/** Returns whether the search text is too short. */
const isBegun = (text: string | undefined): boolean => text !== undefined && text.length < SHORTEST_PART;

const isFiltered = (filter: OutboxFilter): boolean => Object.values(filter).some(Boolean);

const SEARCH = {
  name: 'contains',
  label: 'Recipient, subject or ID',
  read: ({ id, contains }: Readonly<Record<string, string>>) => id ?? contains,
  write: (text: string) => {
    const sought = text.trim() || undefined;
    return sought && ID.test(sought) ? { id: sought.toLowerCase(), contains: undefined } : { id: undefined, contains: sought };
  },
};

const FILTERS: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    also: [WAITING],
    word: 'Status',
    values: [...Object.entries(MAIL_WORDS).map(([status, { word }]) => [status, word] as const), [WAITING, SCHEDULED.word]],
    read: ({ status, scheduled }) => (scheduled ? WAITING : status),
    write: (value) => (value === WAITING ? { scheduled: 'true', status: undefined } : { scheduled: undefined, status: value }),
  },
  { kind: 'time', word: 'Time', from: 'from', to: 'until' },
  { kind: 'text', name: 'tag', word: 'Tag', hint: 'Exact tag name. Case-sensitive.' },
  { kind: 'text', name: 'tagValue', word: 'Tag value', hint: 'Exact tag value. Case-sensitive.' },
];

/** Recipient or id, state, time and tag of the mails to show. */
const OutboxFilters = ({ list }: { list: Listing<Row> }) => (
  <FilterBar search={SEARCH} filters={FILTERS} list={list} counted={['email', 'emails']} />
);

/** Actions on a mail from its row, as its state allows, and the question before it is cancelled. */
function useMailRowActions(): { actionsOf: (mail: Row) => (MenuEntry | false)[]; question: ReactNode } {
  const { sendNow, cancel, sendNowRefusal, cancelRefusal } = useWaitingActions();
  const [, navigate] = useLocation();
  const sendRefusal = useRefusal(MAY_SEND);
  const [cancelled, setCancelled] = useState<Row>();
  const onError = ({ message }: Error) => toasts.add({ title: `Couldn’t send the email: ${message}` });
  const actionsOf = (mail: Row) => [
    mail.status === 'QUEUED' && {
      label: sendNowWord(mail),
      onSelect: () => sendNow.mutate(mail.id, { onError }),
      refusal: sendNowRefusal,
    },
    { label: 'Duplicate', onSelect: () => navigate(`/compose?like=${mail.id}`), refusal: sendRefusal },
    mail.status === 'QUEUED' && {
      label: 'Cancel email',
      onSelect: () => setCancelled(mail),
      refusal: cancelRefusal,
      isDanger: true,
    },
  ];
  const question = cancelled && (
    <CancelEmail
      mail={cancelled}
      isOpen
      onClose={() => setCancelled(undefined)}
      onConfirm={() => cancel.mutateAsync(cancelled.id)}
    />
  );
  return { actionsOf, question };
}
