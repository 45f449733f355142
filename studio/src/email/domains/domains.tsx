import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_CREATE_DOMAIN, MAY_LIST_DOMAINS } from '../mails';
import { StatusFilters, StatusRow } from '../status-list';
import { capital, DOMAIN_WORDS } from '../words';
import { DomainDetail } from './domain-detail';
import { NewDomain } from './new-domain';
import { useDomains } from './use-domains';

/** The domains that mail may come from, and beside them the chosen one. */
export function Domains({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_DOMAINS);
  const cannotCreate = useRefusal(MAY_LIST_DOMAINS, MAY_CREATE_DOMAIN);
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const add = () => setAdding(true);
  useShortcut('c', cannotCreate ? undefined : add);
  useCommands(
    useMemo<Command[]>(
      () =>
        cannotCreate ? [] : [{ id: 'email domain', group: 'Create', word: 'Domain to send from', run: () => setAdding(true) }],
      [cannotCreate],
    ),
  );
  const action = (
    <Button look="primary" refusal={cannotCreate} onClick={add}>
      New domain
    </Button>
  );
  return (
    <div className="page">
      <PageHead title="Email" actions={action}>
        {tabs}
      </PageHead>
      {refusal ? <NoPermission what="see domains" refusal={refusal} /> : <DomainList shown={shown} action={action} />}
      {isAdding && (
        <NewDomain
          onClose={() => setAdding(false)}
          onCreated={(domain) => {
            setAdding(false);
            navigate(`/domains/${domain}`);
          }}
        />
      )}
    </div>
  );
}

function DomainList({ shown, action }: { shown: string | undefined; action: ReactNode }) {
  const { data, error, refetch, isPending } = useDomains();
  const [, navigate] = useLocation();
  const [{ status, domain: sought = '' }, change] = useFilters();
  const items = useMemo(
    () => (data ?? []).filter((one) => (!status || one.status === status) && one.domain?.includes(sought.trim().toLowerCase())),
    [data, status, sought],
  );
  if (error && !data) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="read the domains" onRetry={() => void refetch()} />
      </div>
    );
  }
  const open = data?.find(({ domain }) => domain === shown);
  const close = () => navigate('/domains');
  return (
    <>
      <StatusFilters words={DOMAIN_WORDS} name="domain" label="Domain" />
      <Split
        list={
          <Records
            label="Domains"
            items={items}
            keyOf={({ domain }) => domain ?? ''}
            hrefOf={({ domain }) => `/domains/${domain}`}
            openKey={open?.domain ?? undefined}
            isLoading={isPending}
            rowHeight={56}
            empty={
              <NoDomains
                hasSome={(data?.length ?? 0) > 0}
                action={action}
                onClear={() => change({ status: undefined, domain: undefined })}
              />
            }
          >
            {({ domain, status: state, lastError, checkedAt, createdAt }) => (
              <StatusRow
                status={state ? DOMAIN_WORDS[state] : undefined}
                name={domain ?? ''}
                reason={lastError ? capital(lastError) : undefined}
                at={checkedAt ?? createdAt}
              />
            )}
          </Records>
        }
        detail={
          open ? (
            <DomainDetail key={open.domain} domain={open} onClose={close} />
          ) : shown !== undefined && data ? (
            <Empty title="Domain not found" action={<Button onClick={close}>Show all domains</Button>}>
              <p className="muted">The tenant has no domain of this name. It may have been deleted.</p>
            </Empty>
          ) : undefined
        }
      />
    </>
  );
}

function NoDomains({ hasSome, action, onClear }: { hasSome: boolean; action: ReactNode; onClear: () => void }) {
  if (hasSome) return <Empty title="No domain matches" action={<Button onClick={onClear}>Show all domains</Button>} />;
  return (
    <Empty title="No domains yet" action={action}>
      <p className="muted">
        Add a domain and set its DNS records. Mail can then come from any of its addresses, signed with DKIM.
      </p>
    </Empty>
  );
}
