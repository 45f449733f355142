import { Tabs } from '@base-ui/react/tabs';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi, useRefusal } from '../api/api-context';
import { keptLive } from '../api/live';
import { Button, TextField } from '../ui/controls';
import { FormDialog } from '../ui/form-dialog';
import { formatCount } from '../ui/format';
import { Detail, Facts } from '../ui/page';
import { Empty, ErrorNotice, Skeleton } from '../ui/states';
import { Status, Time } from '../ui/status';
import { PersonErasures } from './erasures/person-erasures';
import { TenantKeys } from './keys/tenant-keys';
import { TenantLimits, TenantRetention } from './settings/tenant-settings';
import { TENANT_STATES } from './tenant-state';

const TABS = [
  ['keys', 'Keys'],
  ['limits', 'Limits and usage'],
  ['retention', 'Retention'],
  ['erasures', 'Erasures'],
] as const;

/** A tenant: its keys, limits and periods, and its status. */
export function TenantDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const { admin } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['admin', 'tenant', id],
    queryFn: ({ signal }) => admin.tenant({ id }, undefined, { signal }),
    meta: keptLive('admin', (tenant: { state: string | null } | null) => tenant?.state === 'DELETING'),
  });
  if (error) {
    return (
      <Detail title="Tenant" onClose={onClose}>
        <ErrorNotice error={error} tried="load the tenant" onRetry={() => void refetch()} />
      </Detail>
    );
  }
  if (data === undefined) {
    return (
      <Detail title="Tenant" onClose={onClose}>
        <Skeleton lines={6} label="Loading tenant" />
      </Detail>
    );
  }
  if (data === null) {
    return (
      <Detail title="Tenant" onClose={onClose}>
        <Empty title="Tenant not found">
          <p className="muted">It may have been deleted.</p>
        </Empty>
      </Detail>
    );
  }
  return (
    <Detail
      title={data.name!}
      onClose={onClose}
      of={{ id, json: data, request: { service: 'admin', operation: 'tenant', variables: { id } } }}
      actions={<Status {...TENANT_STATES[data.state!]} />}
    >
      <Facts
        of={[
          ['Created', data.createdAt && <Time key="at" at={data.createdAt} />],
          ['Active keys', formatCount(data.activeKeys ?? 0)],
          ['Last used', data.lastUsedAt ? <Time key="used" at={data.lastUsedAt} /> : 'Never'],
          ['Suspended', data.suspendedAt ? <Time key="suspended" at={data.suspendedAt} /> : undefined],
        ]}
      />
      {data.state === 'DELETING' && (
        <div className="notice bad">
          <span>
            Deleting all data of this tenant. Remaining:{' '}
            {data.remaining?.map(({ kind, count }) => `${count === 10_000 ? '10,000 or more' : count} ${kind}`).join(', ') ||
              'nothing'}
            .
          </span>
        </div>
      )}
      <div className="row">
        <Link className="button small" href={`/audit?${new URLSearchParams({ documentId: id }).toString()}`}>
          View audit log
        </Link>
      </div>
      <Tabs.Root defaultValue="keys">
        <Tabs.List className="tabs" aria-label="Tenant">
          {TABS.map(([name, word]) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {word}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="keys" className="tab-panel">
          <TenantKeys tenantId={id} isDeleting={data.state === 'DELETING'} />
        </Tabs.Panel>
        <Tabs.Panel value="limits" className="tab-panel">
          <TenantLimits tenantId={id} limits={data.limits ?? []} />
        </Tabs.Panel>
        <Tabs.Panel value="retention" className="tab-panel">
          <TenantRetention tenantId={id} retention={data.retention ?? []} />
        </Tabs.Panel>
        <Tabs.Panel value="erasures" className="tab-panel">
          <PersonErasures tenantId={id} isDeleting={data.state === 'DELETING'} />
        </Tabs.Panel>
      </Tabs.Root>
      {data.state !== 'DELETING' && <StateActions id={id} name={data.name!} isSuspended={data.state === 'SUSPENDED'} />}
    </Detail>
  );
}

function StateActions({ id, name, isSuspended }: { id: string; name: string; isSuspended: boolean }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const switching = useMutation({
    mutationFn: () => (isSuspended ? admin.resumeTenant({ id }) : admin.suspendTenant({ id })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['admin'] }),
  });
  const cannotSwitch = useRefusal(['admin', 'mutation', isSuspended ? 'resumeTenant' : 'suspendTenant']);
  const cannotDelete = useRefusal(['admin', 'mutation', 'deleteTenant']);
  return (
    <div className="card stack tight">
      <h3>{isSuspended ? 'Suspended' : 'Suspend or delete'}</h3>
      <p className="muted small">
        {isSuspended
          ? 'Keys, links and tokens of this tenant are refused. Emails and messages wait. No data is lost.'
          : 'Suspending refuses the tenant’s keys, links and tokens within 4 seconds. No data is lost.'}
      </p>
      <div className="row wrap">
        <Button refusal={cannotSwitch} disabled={switching.isPending} onClick={() => switching.mutate()}>
          {isSuspended ? 'Resume' : 'Suspend'}
        </Button>
        <Button look="danger" refusal={cannotDelete} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {switching.error && (
        <ErrorNotice error={switching.error} tried={isSuspended ? 'resume the tenant' : 'suspend the tenant'} />
      )}
      {isDeleting && <DeleteDialog id={id} name={name} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function DeleteDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [entered, setEntered] = useState('');
  const deleting = useMutation({
    meta: { done: 'Tenant deleted' },
    mutationFn: () => admin.deleteTenant({ id, name }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['admin'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete ${name}?`}
      action="Delete tenant and data"
      tried="delete the tenant"
      look="danger"
      sending={deleting}
      isReady={entered === name}
      onSend={deleting.mutate}
      onClose={onClose}
    >
      <p className="muted">
        All files, templates, messages, emails, log records and keys of this tenant are deleted. This can’t be undone.
      </p>
      <TextField label="Enter the tenant name to confirm" autoComplete="off" value={entered} onChange={setEntered} />
    </FormDialog>
  );
}
