import { useRefusal } from '../../api/api-context';
import { listingOf } from '../../ui/list-page';
import { ResourcePage, type RoomPageProps } from '../../ui/resource-page';
import { Empty } from '../../ui/states';
import { MAY_CREATE_DOMAIN, MAY_LIST_DOMAINS } from '../mails';
import { hasStatus, statusColumns, statusFilter } from '../status-list';
import { capital } from '../../ui/faults';
import { DOMAIN_WORDS } from '../words';
import { DomainDetail } from './domain-detail';
import { type Domain, DOMAINS, useDomains } from './use-domains';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';

/** List of sender domains, with the chosen one. */
export function Domains({ tabs, shown }: RoomPageProps) {
  const refusal = useRefusal(MAY_LIST_DOMAINS);
  const domains = useDomains(!refusal);
  return (
    <ResourcePage<Domain>
      word="domain"
      path="/domains"
      heading="Email"
      tabs={tabs}
      refusal={refusal}
      list={listingOf(domains)}
      columns={COLUMNS}
      keyOf={nameOf}
      search={SEARCH}
      filters={FILTERS}
      fits={hasStatus}
      create={{
        id: 'email domain',
        rights: [MAY_LIST_DOMAINS, MAY_CREATE_DOMAIN],
        renderDialog: (close, onCreated) => <NewDomain onClose={close} onCreated={onCreated} />,
      }}
      renderEmpty={(action) => (
        <Empty title="No domains yet" action={action}>
          <p className="muted">
            Add a domain and its DNS records to send from any of its addresses. Emails are signed with DKIM.
          </p>
        </Empty>
      )}
      shown={shown}
      renderItem={(domain, close) => <DomainDetail key={domain.domain} domain={domain} onClose={close} />}
    />
  );
}

const nameOf = ({ domain }: Domain): string => domain ?? '';
const SEARCH = { name: 'domain', label: 'Domain', textOf: nameOf };
const FILTERS = [statusFilter(DOMAIN_WORDS)];
const COLUMNS = statusColumns<Domain>({
  word: 'Domain',
  nameOf,
  isInherited: ({ inherited }) => inherited ?? false,
  statusOf: ({ status }) => (status ? DOMAIN_WORDS[status] : undefined),
  reasonOf: ({ lastError }) => (lastError ? capital(lastError) : undefined),
  time: 'Checked',
  timeOf: ({ checkedAt, createdAt }) => checkedAt ?? createdAt,
});

/** Form that creates a domain, and then shows its records. */
function NewDomain({ onClose, onCreated }: { onClose: () => void; onCreated: (domain: string) => void }) {
  const form = useForm({
    first: { domain: '' },
    send: ({ domain }, { email }) => email.createEmailDomain({ domain: domain.trim() }),
    again: DOMAINS,
    onDone: ({ domain }) => onCreated(domain!),
  });
  const isReady = form.values.domain.trim() !== '';
  return (
    <FormDialog form={form} title="New domain" action="Create domain" isReady={isReady} onClose={onClose}>
      <TextField
        label="Domain"
        hint="You get DNS records to add at your provider."
        autoComplete="off"
        spellCheck={false}
        placeholder="example.com"
        {...form.field('domain')}
      />
    </FormDialog>
  );
}
