import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Tenant as ApiTenant, TenantLimitName } from '../../../clients/js/src/generated/admin';
import type { Selected } from '../../../clients/js/src/selection';
import { useApi, useRefusal } from '../api/api-context';
import { Button } from '../ui/controls';
import { FilterBar } from '../ui/filter-bar';
import { ListPage, useCreate } from '../ui/list-page';
import { formatBytes, formatCount } from '../ui/format';
import { PageHead } from '../ui/page';
import type { Column } from '../ui/records';
import { Empty } from '../ui/states';
import { Status, Time } from '../ui/status';
import { usePages } from '../ui/use-pages';
import { NEARLY_FULL } from '../ui/usage';
import { tenantsNamed, useFilters } from '../ui/use-search';
import { TenantDialog } from './tenant-dialog';
import { TenantDetail } from './tenant-detail';
import { TENANT_STATES } from './tenant-state';
import styles from './tenants.module.css';

const FIELDS = {
  id: true,
  name: true,
  state: true,
  createdAt: true,
  activeKeys: true,
  lastUsedAt: true,
  limits: { name: true, limit: true, used: true },
} as const;

interface TabProps {
  tabs: ReactNode;
  openId: string | undefined;
}

/** All tenants: their status, usage, and creation. */
export function TenantsTab({ tabs, openId }: TabProps) {
  const { admin } = useApi();
  const refusal = useRefusal(['admin', 'query', 'tenants']);
  const create = useCreate({ id: 'tenant', word: 'New tenant', refusal: useRefusal(['admin', 'mutation', 'createTenant']) });
  const [{ name }, change] = useFilters();
  const [, navigate] = useLocation();
  const tenants = usePages({
    queryKey: ['admin', 'tenants', name],
    read: (nextToken, signal) =>
      admin.tenants(
        { ...tenantsNamed(name?.trim() ?? ''), nextToken: nextToken ?? null },
        { items: FIELDS, nextToken: true },
        { signal },
      ),
    isEnabled: !refusal,
    live: 'admin',
    isOnItsWay: ({ state }) => state === 'DELETING',
  });
  return (
    <>
      <ListPage
        head={
          <PageHead title="Tenants" actions={create.button}>
            {tabs}
          </PageHead>
        }
        refusal={refusal}
        tried="list tenants"
        label="Tenants"
        list={tenants}
        keyOf={({ id }) => id!}
        hrefOf={({ id }) => `/${id}${location.search}`}
        openKey={openId}
        columns={COLUMNS}
        filters={<FilterBar search={{ name: 'name', label: 'Name' }} list={tenants} counted={['tenant', 'tenants']} />}
        empty={<NoTenants name={name} onClear={() => change({ name: undefined })} action={create.button} />}
        detail={openId && <TenantDetail key={openId} id={openId} onClose={() => navigate(`/${location.search}`)} />}
      />
      {create.isOpen && <TenantDialog onClose={create.close} onCreated={(id) => navigate(`/${id}`)} />}
    </>
  );
}

type Tenant = Selected<ApiTenant, typeof FIELDS>;

const COLUMNS: readonly Column<Tenant>[] = [
  { word: 'Name', line: 'who', sortBy: ({ name }) => name ?? '', cell: ({ name }) => <span className="truncate">{name}</span> },
  {
    word: 'Status',
    width: 132,
    line: 'state',
    sortBy: ({ state }) => TENANT_STATES[state!].word,
    cell: ({ state }) => <Status {...TENANT_STATES[state!]} />,
  },
  {
    word: 'Active keys',
    width: 88,
    room: 'medium',
    isNumber: true,
    sortBy: ({ activeKeys }) => activeKeys ?? 0,
    cell: ({ activeKeys }) => formatCount(activeKeys ?? 0),
  },
  {
    word: 'Storage',
    width: 136,
    room: 'medium',
    isNumber: true,
    sortBy: (tenant) => usageOf(tenant, 'storedBytes').used,
    cell: (tenant) => <Storage of={tenant} />,
  },
  {
    word: 'Files',
    width: 80,
    room: 'wide',
    isNumber: true,
    sortBy: (tenant) => usageOf(tenant, 'files').used,
    cell: (tenant) => formatCount(usageOf(tenant, 'files').used),
  },
  {
    word: 'Emails today',
    width: 96,
    room: 'wide',
    isNumber: true,
    sortBy: (tenant) => usageOf(tenant, 'mailsPerDay').used,
    cell: (tenant) => formatCount(usageOf(tenant, 'mailsPerDay').used),
  },
  {
    word: 'Last used',
    width: 96,
    room: 'medium',
    isNumber: true,
    sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : <span className="muted">Never</span>),
  },
  {
    word: 'Created',
    width: 96,
    room: 'wide',
    isNumber: true,
    sortBy: ({ createdAt }) => createdAt ?? '',
    cell: ({ createdAt }) => createdAt && <Time at={createdAt} />,
  },
];

const usageOf = ({ limits }: Tenant, wanted: TenantLimitName): { used: number; limit: number | null } => {
  const found = limits?.find(({ name }) => name === wanted);
  return { used: found?.used ?? 0, limit: found?.limit ?? null };
};

/** Stored bytes of a tenant, beside its limit if it has one. */
function Storage({ of }: { of: Tenant }) {
  const { used, limit } = usageOf(of, 'storedBytes');
  if (limit === null) return formatBytes(used);
  return (
    <span className={used >= limit * NEARLY_FULL ? styles.nearlyFull : undefined}>
      {formatBytes(used)} <span className="muted">of {formatBytes(limit)}</span>
    </span>
  );
}

interface NoneProps {
  name: string | undefined;
  onClear: () => void;
  action: ReactNode;
}

function NoTenants({ name, onClear, action }: NoneProps) {
  if (name) {
    return (
      <Empty title="No tenants match" action={<Button onClick={onClear}>Clear filters</Button>}>
        <p className="muted">Enter at least 3 characters to search inside names.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No tenants yet" action={action}>
      <p className="muted">A tenant has its own keys and data, isolated from other tenants.</p>
    </Empty>
  );
}
