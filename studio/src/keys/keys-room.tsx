import './keys.css';
import type { ReactNode } from 'react';
import { useLocation, useRoute } from 'wouter';
import type { Tenant as ApiTenant } from '../../../clients/js/src/generated/admin';
import type { Selected } from '../../../clients/js/src/selection';
import { useApi, useRefusal } from '../api/api-context';
import { Button } from '../ui/controls';
import { FilterBar } from '../ui/filter-bar';
import { ListPage, useCreate } from '../ui/list-page';
import { PageHead } from '../ui/page';
import type { Column } from '../ui/records';
import { Empty } from '../ui/states';
import { Status, Time } from '../ui/status';
import { usePages } from '../ui/use-pages';
import { tenantsNamed, useFilters } from '../ui/use-search';
import { TenantDialog } from './tenant-dialog';
import { TenantDetail } from './tenant-detail';
import { TENANT_STATES } from './tenant-state';

const FIELDS = { id: true, name: true, state: true, createdAt: true } as const;

/** Tenants and their keys, for a key of the operator. */
export function KeysRoom() {
  const { admin } = useApi();
  const refusal = useRefusal(['admin', 'query', 'tenants']);
  const create = useCreate({ id: 'tenant', word: 'New tenant', refusal: useRefusal(['admin', 'mutation', 'createTenant']) });
  const [{ name }, change] = useFilters();
  const [, navigate] = useLocation();
  const [, params] = useRoute('/:id');
  const tenants = usePages({
    queryKey: ['admin', 'tenants', name],
    read: (nextToken, signal) =>
      admin.tenants(
        { ...tenantsNamed(name?.trim() ?? ''), nextToken: nextToken ?? null },
        { items: FIELDS, nextToken: true },
        { signal },
      ),
    isEnabled: !refusal,
  });
  return (
    <>
      <ListPage
        head={<PageHead title="Tenants" actions={create.button} />}
        refusal={refusal}
        tried="list tenants"
        label="Tenants"
        list={tenants}
        keyOf={({ id }) => id!}
        hrefOf={({ id }) => `/${id}${location.search}`}
        openKey={params?.id}
        columns={COLUMNS}
        filters={<FilterBar search={{ name: 'name', label: 'Name' }} list={tenants} counted={['tenant', 'tenants']} />}
        empty={<NoTenants name={name} onClear={() => change({ name: undefined })} action={create.button} />}
        detail={params && <TenantDetail key={params.id} id={params.id} onClose={() => navigate(`/${location.search}`)} />}
      />
      {create.isOpen && <TenantDialog onClose={create.close} onCreated={(id) => navigate(`/${id}`)} />}
    </>
  );
}

type Tenant = Selected<ApiTenant, typeof FIELDS>;

const COLUMNS: readonly Column<Tenant>[] = [
  { word: 'Name', sortBy: ({ name }) => name ?? '', cell: ({ name }) => <span className="truncate">{name}</span> },
  {
    word: 'Status',
    width: 120,
    sortBy: ({ state }) => TENANT_STATES[state!].word,
    cell: ({ state }) => <Status {...TENANT_STATES[state!]} />,
  },
  {
    word: 'Created',
    width: 96,
    isNumber: true,
    sortBy: ({ createdAt }) => createdAt ?? '',
    cell: ({ createdAt }) => createdAt && <Time at={createdAt} />,
  },
];

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
