import type { ReactNode } from 'react';
import type { Tenant as ApiTenant, TenantLimitName } from '../../../clients/js/src/generated/admin';
import type { Selected } from '../../../clients/js/src/selection';
import { useRefusal } from '../api/api-context';
import { textColumn, timeColumn } from '../ui/columns';
import { formatBytes, formatCount } from '../ui/format';
import { NoMatch } from '../ui/no-match';
import type { Column } from '../ui/records';
import { ResourcePage, type RoomPageProps } from '../ui/resource-page';
import { Empty } from '../ui/states';
import { Status } from '../ui/status';
import { usePages } from '../ui/use-pages';
import { NEARLY_FULL } from '../ui/usage';
import { tenantsNamed, useFilters } from '../ui/use-search';
import { TenantDetail } from './tenant-detail';
import { TENANT_STATES } from './tenant-state';
import { TextField } from '../ui/controls';
import { FormDialog } from '../ui/form-dialog';
import { useForm } from '../ui/use-form';
import { idOfParent, ParentField } from './tenant-parent';
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

/** All tenants: their status, usage, and creation. */
export function TenantsTab({ tabs, shown }: RoomPageProps) {
  const refusal = useRefusal(['admin', 'query', 'tenants']);
  const [{ name }] = useFilters();
  const tenants = usePages({
    queryKey: ['admin', 'tenants', name],
    read: ({ admin }, nextToken, signal) =>
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
    <ResourcePage<Tenant>
      word="tenant"
      path="/"
      heading="Tenants"
      tabs={tabs}
      refusal={refusal}
      list={tenants}
      columns={COLUMNS}
      keyOf={({ id }) => id!}
      search={SEARCH}
      create={{
        id: 'tenant',
        rights: [['admin', 'mutation', 'createTenant']],
        renderDialog: (close, onCreated) => <TenantDialog onClose={close} onCreated={onCreated} />,
      }}
      renderEmpty={(action) => <NoTenants name={name} action={action} />}
      shown={shown}
      renderShown={(id, close) => <TenantDetail key={id} id={id} onClose={close} />}
    />
  );
}

const SEARCH = { name: 'name', label: 'Name' };
type Tenant = Selected<ApiTenant, typeof FIELDS>;

const COLUMNS: readonly Column<Tenant>[] = [
  textColumn('Name', ({ name }) => name, { line: 'who' }),
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
  timeColumn('Last used', ({ lastUsedAt }) => lastUsedAt, { line: 'when', room: 'medium', none: 'Never' }),
  timeColumn('Created', ({ createdAt }) => createdAt, { room: 'wide' }),
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

function NoTenants({ name, action }: { name: string | undefined; action: ReactNode }) {
  if (name) return <NoMatch what="tenants">Enter at least 3 characters to search inside names.</NoMatch>;
  return (
    <Empty title="No tenants yet" action={action}>
      <p className="muted">A tenant has its own keys and data, isolated from other tenants.</p>
    </Empty>
  );
}

/** Form that creates a tenant. */
function TenantDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const form = useForm({
    first: { name: '', parent: '' },
    paths: { parent: 'parentId' },
    send: async ({ name, parent }, api) => {
      const parentId = await idOfParent(api, parent);
      return api.admin.createTenant({ input: { name, parentId } }, { id: true });
    },
    again: ['admin'],
    onDone: ({ id }) => onCreated(id!),
  });
  const isReady = form.values.name !== '';
  return (
    <FormDialog form={form} title="New tenant" action="Create tenant" isReady={isReady} onClose={onClose}>
      <TextField
        label="Name"
        hint="Unique, and can’t be changed later. Shown in verification emails."
        required
        maxLength={256}
        autoComplete="off"
        {...form.field('name')}
      />
      <ParentField {...form.field('parent')} />
    </FormDialog>
  );
}
