import './keys.css';
import { useMemo, useState } from 'react';
import { useLocation, useRoute } from 'wouter';
import { useApi, useRefusal } from '../api/api-context';
import { useCommands } from '../shell/commands';
import { Button } from '../ui/controls';
import { FilterField, PageHead, Split } from '../ui/page';
import { Records } from '../ui/records';
import { useShortcut } from '../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../ui/states';
import { Status, Time } from '../ui/status';
import { usePages } from '../ui/use-pages';
import { useFilters } from '../ui/use-search';
import { TenantDialog } from './tenant-dialog';
import { TenantDetail } from './tenant-detail';
import { TENANT_STATES } from './tenant-state';

/** Tenants and their keys, for a key of the operator. */
export function KeysRoom() {
  const refusal = useRefusal(['admin', 'query', 'tenants']);
  if (refusal) return <NoPermission what="list tenants" refusal={refusal} />;
  return <Tenants />;
}

function Tenants() {
  const { admin } = useApi();
  const [filters, setFilters] = useFilters();
  const [, navigate] = useLocation();
  const [, params] = useRoute('/:id');
  const [isCreating, setCreating] = useState(false);
  const cannotCreate = useRefusal(['admin', 'mutation', 'createTenant']);
  const name = filters['name'];
  const pages = usePages({
    queryKey: ['admin', 'tenants', name],
    read: (nextToken, signal) =>
      admin.tenants(
        { name: name || null, nextToken: nextToken ?? null },
        { items: { id: true, name: true, state: true, createdAt: true }, nextToken: true },
        { signal },
      ),
  });
  const create = () => setCreating(true);
  useShortcut('c', cannotCreate ? undefined : create);
  useCommands(useMemo(() => [{ id: 'tenant', group: 'Create', word: 'Tenant', run: () => setCreating(true) }], []));
  return (
    <div className="page">
      <PageHead
        title="Keys"
        actions={
          <Button look="primary" refusal={cannotCreate} onClick={create}>
            New tenant
          </Button>
        }
      />
      <div className="filters">
        <FilterField isMain label="Whole name of a tenant" value={name ?? ''} onChange={(next) => setFilters({ name: next })} />
      </div>
      {pages.error ? (
        <div className="page-body">
          <ErrorNotice error={pages.error} tried="list the tenants" onRetry={pages.readAgain} />
        </div>
      ) : (
        <Split
          list={
            <Records
              label="Tenants"
              items={pages.items}
              keyOf={({ id }) => id!}
              hrefOf={({ id }) => `/${id}${location.search}`}
              openKey={params?.id}
              hasMore={pages.hasMore}
              isLoading={pages.isLoading}
              onMore={pages.readMore}
              empty={<NoTenants name={name} onCreate={cannotCreate ? undefined : create} />}
            >
              {(tenant) => (
                <>
                  <span className="grow truncate">{tenant.name}</span>
                  {tenant.state !== 'ACTIVE' && <Status {...TENANT_STATES[tenant.state!]} />}
                  <span className="muted small">{tenant.createdAt && <Time at={tenant.createdAt} />}</span>
                </>
              )}
            </Records>
          }
          detail={params && <TenantDetail key={params.id} id={params.id} onClose={() => navigate(`/${location.search}`)} />}
        />
      )}
      {isCreating && <TenantDialog onClose={() => setCreating(false)} onCreated={(id) => navigate(`/${id}`)} />}
    </div>
  );
}

function NoTenants({ name, onCreate }: { name: string | undefined; onCreate: (() => void) | undefined }) {
  if (name) {
    return (
      <Empty title="No tenant has this name">
        <p className="muted">The whole name is compared, and letter case counts.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No tenants yet" action={onCreate && <Button onClick={onCreate}>New tenant</Button>}>
      <p className="muted">A tenant owns keys and everything that is made with them, apart from all other tenants.</p>
    </Empty>
  );
}
