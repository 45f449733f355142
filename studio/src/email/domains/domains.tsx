import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { ListPage, listingOf, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import { Empty } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_CREATE_DOMAIN, MAY_LIST_DOMAINS } from '../mails';
import { statusColumns, StatusFilters } from '../status-list';
import { capital, DOMAIN_WORDS } from '../words';
import { DomainDetail } from './domain-detail';
import { NewDomain } from './new-domain';
import { type Domain, useDomains } from './use-domains';

/** List of sender domains, with the chosen one. */
export function Domains({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_DOMAINS);
  const create = useCreate({ id: 'email domain', word: 'New domain', refusal: useRefusal(MAY_LIST_DOMAINS, MAY_CREATE_DOMAIN) });
  const domains = useDomains(!refusal);
  const [, navigate] = useLocation();
  const [{ status, domain: sought = '' }, change] = useFilters();
  const { data } = domains;
  const items = useMemo(
    () => data?.filter((one) => (!status || one.status === status) && one.domain?.includes(sought.trim().toLowerCase())),
    [data, status, sought],
  );
  const open = data?.find(({ domain }) => domain === shown);
  const close = () => navigate('/domains');
  const list = listingOf(domains, items);
  return (
    <>
      <ListPage
        head={
          <PageHead title="Domains" shown="Email" actions={create.button}>
            {tabs}
          </PageHead>
        }
        refusal={refusal}
        tried="list domains"
        label="Domains"
        list={list}
        keyOf={({ domain }) => domain ?? ''}
        hrefOf={({ domain }) => `/domains/${domain}`}
        openKey={open?.domain ?? undefined}
        columns={COLUMNS}
        filters={<StatusFilters words={DOMAIN_WORDS} name="domain" label="Domain" list={list} counted={['domain', 'domains']} />}
        empty={
          <NoDomains
            hasSome={(data?.length ?? 0) > 0}
            action={create.button}
            onClear={() => change({ status: undefined, domain: undefined })}
          />
        }
        detail={
          open ? (
            <DomainDetail key={open.domain} domain={open} onClose={close} />
          ) : shown !== undefined && data ? (
            <Empty title="Domain not found" action={<Button onClick={close}>Show all domains</Button>}>
              <p className="muted">It may have been deleted.</p>
            </Empty>
          ) : undefined
        }
      />
      {create.isOpen && (
        <NewDomain
          onClose={create.close}
          onCreated={(domain) => {
            create.close();
            navigate(`/domains/${domain}`);
          }}
        />
      )}
    </>
  );
}

const COLUMNS = statusColumns<Domain>({
  word: 'Domain',
  nameOf: ({ domain }) => domain ?? '',
  statusOf: ({ status }) => (status ? DOMAIN_WORDS[status] : undefined),
  reasonOf: ({ lastError }) => (lastError ? capital(lastError) : undefined),
  time: 'Checked',
  timeOf: ({ checkedAt, createdAt }) => checkedAt ?? createdAt,
});

function NoDomains({ hasSome, action, onClear }: { hasSome: boolean; action: ReactNode; onClear: () => void }) {
  if (hasSome) return <Empty title="No domains match" action={<Button onClick={onClear}>Clear filters</Button>} />;
  return (
    <Empty title="No domains yet" action={action}>
      <p className="muted">Add a domain and its DNS records to send from any of its addresses. Emails are signed with DKIM.</p>
    </Empty>
  );
}
