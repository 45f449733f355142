import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../api/use-action';
import { useRead } from '../api/use-read';
import { Button, TextField } from '../ui/controls';
import { FormDialog } from '../ui/form-dialog';
import { useForm } from '../ui/use-form';
import { formatCount, plural } from '../ui/format';
import { Detail, Facts } from '../ui/page';
import { NoDetail } from '../ui/no-detail';
import { ErrorNotice } from '../ui/states';
import { Status, Time } from '../ui/status';
import { PersonErasures } from './erasures/person-erasures';
import { TenantKeys } from './keys/tenant-keys';
import { TenantLimits, TenantRetention } from './settings/tenant-settings';
import { ChangeParent, ParentLink } from './tenant-parent';
import { TENANT_STATES } from './tenant-state';

const TABS = [
  ['keys', 'Keys'],
  ['limits', 'Limits and usage'],
  ['retention', 'Retention'],
  ['erasures', 'Erasures'],
] as const;

/** A tenant: its keys, limits and periods, and its status. */
export function TenantDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useRead({
    queryKey: ['admin', 'tenant', id],
    read: ({ admin }, signal) => admin.tenant({ id }, undefined, { signal }),
    live: 'admin',
    isOnItsWay: (tenant: { state: string | null } | null) => tenant?.state === 'DELETING',
  });
  const { data } = query;
  if (query.error || !data) return <NoDetail word="tenant" query={query} onClose={onClose} />;
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
          ['Parent', data.parentId ? <ParentLink key="parent" parentId={data.parentId} /> : undefined],
          ['Parent of', data.children ? plural(data.children, 'tenant') : undefined],
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
        {data.state !== 'DELETING' && <ChangeParent id={id} name={data.name!} parentId={data.parentId} />}
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
  const [isDeleting, setDeleting] = useState(false);
  const switching = useAction(({ admin }) => (isSuspended ? admin.resumeTenant({ id }) : admin.suspendTenant({ id })), {
    again: ['admin'],
  });
  return (
    <div className="card stack tight">
      <h3>{isSuspended ? 'Suspended' : 'Suspend or delete'}</h3>
      <p className="muted small">
        {isSuspended
          ? 'Keys, links and tokens of this tenant are refused. Emails and messages wait. No data is lost.'
          : 'Suspending refuses the tenant’s keys, links and tokens within 4 seconds. No data is lost.'}
      </p>
      <div className="row wrap">
        <Button
          right={['admin', 'mutation', isSuspended ? 'resumeTenant' : 'suspendTenant']}
          disabled={switching.isPending}
          onClick={() => switching.mutate()}
        >
          {isSuspended ? 'Resume' : 'Suspend'}
        </Button>
        <Button look="danger" right={['admin', 'mutation', 'deleteTenant']} onClick={() => setDeleting(true)}>
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
  const form = useForm({
    first: { entered: '' },
    send: (_, { admin }) => admin.deleteTenant({ id, name }),
    done: 'Tenant deleted',
    again: ['admin'],
    onDone: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={`Delete ${name}?`}
      action="Delete tenant and data"
      tried="delete the tenant"
      look="danger"
      isReady={form.values.entered === name}
      onClose={onClose}
    >
      <p className="muted">
        All files, templates, messages, emails, log records and keys of this tenant are deleted. This can’t be undone.
      </p>
      <TextField label="Enter the tenant name to confirm" autoComplete="off" {...form.field('entered')} />
    </FormDialog>
  );
}
