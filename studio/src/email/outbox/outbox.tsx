import { type ReactNode, useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { formatCount, plural } from '../../ui/format';
import { PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_LIST, MAY_SEND, NO_FILTER, type OutboxFilter } from '../mails';
import { MailDetail } from '../message/mail-detail';
import { ActivityChart } from './activity-chart';
import { MailRow } from './mail-row';
import { isBegun, isFiltered, OutboxFilters } from './outbox-filters';
import { useOutbox } from './use-outbox';

const ROW_HEIGHT = 56;

/** Every mail of the tenant, newest first, and beside it the chosen one. */
export function Outbox({ tabs, id }: { tabs: ReactNode; id: string | undefined }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const refusal = useRefusal(MAY_LIST);
  const sendRefusal = useRefusal(MAY_SEND);
  const write = useCallback(() => navigate('/compose'), [navigate]);
  useShortcut('c', sendRefusal ? undefined : write);
  useCommands(useMemo(() => commandsOf(navigate, sendRefusal), [navigate, sendRefusal]));
  const addressOf = (mail: string) => `/${mail}${search && `?${search}`}`;
  return (
    <div className="page">
      <PageHead
        title="Email"
        actions={
          <Button look="primary" refusal={sendRefusal} onClick={write}>
            Write a mail
          </Button>
        }
      >
        {tabs}
        <Quota />
      </PageHead>
      {refusal ? (
        <NoPermission what="see sent mail" refusal={refusal} />
      ) : (
        <Mails id={id} hrefOf={addressOf} onClose={() => navigate(addressOf(''))} />
      )}
    </div>
  );
}

interface MailsProps {
  id: string | undefined;
  hrefOf: (id: string) => string;
  onClose: () => void;
}

function Mails({ id, hrefOf, onClose }: MailsProps) {
  const [{ status, scheduled, to, id: sought, from, until, tag, tagValue }, change] = useFilters();
  const filter = useMemo<OutboxFilter>(
    () => ({ status, scheduled, to, id: sought, from, until, tag, tagValue }),
    [status, scheduled, to, sought, from, until, tag, tagValue],
  );
  const isReadable = !isBegun(to);
  const outbox = useOutbox(filter, isReadable);
  const changeFilter = (changes: OutboxFilter) => change({ ...changes });
  return (
    <>
      <ActivityChart />
      <OutboxFilters filter={filter} onChange={changeFilter} />
      <Split
        list={
          outbox.error && outbox.items.length === 0 ? (
            <div className="page-body">
              <ErrorNotice error={outbox.error} tried="read the outbox" onRetry={outbox.readAgain} />
            </div>
          ) : (
            <Records
              label="Mails"
              items={isReadable ? outbox.items : []}
              keyOf={(mail) => mail.id}
              hrefOf={(mail) => hrefOf(mail.id)}
              openKey={id}
              rowHeight={ROW_HEIGHT}
              hasMore={isReadable && outbox.hasMore}
              onMore={outbox.readMore}
              isLoading={isReadable && outbox.isLoading}
              newCount={outbox.newCount}
              onShowNew={outbox.showNew}
              empty={<NoMails filter={filter} onClear={() => changeFilter(NO_FILTER)} />}
            >
              {(mail) => <MailRow mail={mail} />}
            </Records>
          )
        }
        detail={id && <MailDetail key={id} id={id} onClose={onClose} />}
      />
    </>
  );
}

/** How many mails the tenant sent today, and may send. */
function Quota() {
  const { limits } = useDescription();
  const mails = limits.find(({ name }) => name === 'mailsPerDay');
  if (!mails) return undefined;
  const { used, limit } = mails;
  const isSpent = limit !== null && used >= limit;
  return (
    <span className={isSpent ? 'email-quota spent' : 'email-quota'} title="A day ends at 00:00 UTC">
      {limit === null ? `${plural(used, 'mail')} today` : `${formatCount(used)} of ${plural(limit, 'mail')} today`}
    </span>
  );
}

function NoMails({ filter, onClear }: { filter: OutboxFilter; onClear: () => void }) {
  const { prefix } = useDescription();
  const [, navigate] = useLocation();
  const refusal = useRefusal(MAY_SEND);
  if (isBegun(filter.to)) {
    return (
      <Empty title="Type the whole address">
        <p className="muted">Mails are found by a whole address in To, such as ann@example.com, or by the id of a message.</p>
      </Empty>
    );
  }
  if (filter.scheduled && !isFiltered({ ...filter, scheduled: undefined })) {
    return (
      <Empty title="No mail is scheduled" action={<Button onClick={onClear}>Show all mails</Button>}>
        <p className="muted">To send a mail later, choose “Send later” when you write it.</p>
      </Empty>
    );
  }
  if (isFiltered(filter)) {
    return (
      <Empty title="No mail matches" action={<Button onClick={onClear}>Show all mails</Button>}>
        {filter.tag && <p className="muted">Mails are found by the name and the whole value of a tag.</p>}
        <p className="muted">
          Mails are listed until 30 days after they were sent or failed, unless the tenant has another period.
        </p>
      </Empty>
    );
  }
  return (
    <Empty
      title="No mail yet"
      action={
        <Button look="primary" refusal={refusal} onClick={() => navigate('/compose')}>
          Write a mail
        </Button>
      }
    >
      <p className="muted">
        A mail is kept here as soon as it is accepted, and tried until every recipient has it or refused it.
      </p>
      <Snippet label="Request that sends a mail" code={snippet(location.origin, prefix)} />
    </Empty>
  );
}

const snippet = (origin: string, prefix: string) => `# $KEY is the key that begins with ${prefix}
curl -s ${origin}/email/graphql -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{
  "query": "mutation($i: SendMessageInput!) { sendMessage(input: $i) { id } }",
  "variables": {"i": {"to": {"address": "ann@example.com"}, "subject": "Hello", "textBody": "Hello Ann"}}
}'`;

function commandsOf(navigate: (path: string) => void, sendRefusal: string | undefined): Command[] {
  const write: Command[] = sendRefusal
    ? []
    : [{ id: 'email write', group: 'Create', word: 'Mail', run: () => navigate('/compose') }];
  return [
    ...write,
    { id: 'email failed', group: 'Show', word: 'Failed mails', run: () => navigate('/?status=FAILED') },
    { id: 'email queued', group: 'Show', word: 'Queued mails', run: () => navigate('/?status=QUEUED') },
    { id: 'email scheduled', group: 'Show', word: 'Scheduled mails', run: () => navigate('/?scheduled=true') },
    { id: 'email senders', group: 'Show', word: 'Senders', run: () => navigate('/senders') },
    { id: 'email domains', group: 'Show', word: 'Domains', run: () => navigate('/domains') },
    { id: 'email suppressions', group: 'Show', word: 'Suppressions', run: () => navigate('/suppressions') },
  ];
}
