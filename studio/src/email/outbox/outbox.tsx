import { type ReactNode, useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { formatCount, plural } from '../../ui/format';
import { ListPage } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import { useShortcut } from '../../ui/shortcuts';
import { Empty } from '../../ui/states';
import { useChoice } from '../../ui/use-choice';
import { useFilters } from '../../ui/use-search';
import { MAY_LIST, MAY_SEND, NO_FILTER, type OutboxFilter, type Row } from '../mails';
import { MailDetail } from '../message/mail-detail';
import { ActivityChart } from './activity-chart';
import { MAIL_COLUMNS } from './mail-columns';
import { useMailRowActions } from './mail-row-actions';
import { isBegun, isFiltered, OutboxFilters } from './outbox-filters';
import { useMailChoice } from './use-mail-choice';
import { useOutbox } from './use-outbox';
import { sampleOf } from '../../ui/sample';
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
  const chosen = useChoice<Row>({
    items: outbox.items,
    keyOf: ({ id: mail }) => mail,
    item: 'email',
    list: JSON.stringify(filter),
    hasMore: outbox.hasMore,
    readAll: outbox.readAll,
  });
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
  const refusal = useRefusal(MAY_SEND);
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
      <Empty title="No emails match" action={<Button onClick={onClear}>Clear filters</Button>}>
        {filter.tag && <p className="muted">Enter the exact name and value of a tag.</p>}
        <p className="muted">
          Emails are removed 30 days after they are sent or fail, unless your tenant has a custom retention period.
        </p>
      </Empty>
    );
  }
  return (
    <Empty
      title="No emails yet"
      action={
        <Button look="primary" refusal={refusal} onClick={() => navigate('/compose')}>
          New email
        </Button>
      }
    >
      <p className="muted">Sent email appears here with its delivery status for each recipient.</p>
      <Snippet label="request to send an email" code={sampleOf(prefix, 'email', QUERY, VARIABLES)} />
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
