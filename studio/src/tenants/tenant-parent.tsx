import { useState } from 'react';
import { Link } from 'wouter';
import { PlatformError } from '../../../clients/js/src/errors';
import { useRefusal } from '../api/api-context';
import type { Api } from '../api/client';
import { useRead } from '../api/use-read';
import { Button, TextField } from '../ui/controls';
import { FormDialog } from '../ui/form-dialog';
import { type FieldOf, useForm } from '../ui/use-form';

/** Field for the parent of a tenant, by its name. */
export const ParentField = (field: FieldOf<string>) => (
  <TextField
    label="Parent"
    hint="Exact name of the tenant whose templates, partials, stylesheets and verified domains it reads. Empty for none."
    maxLength={256}
    autoComplete="off"
    {...field}
  />
);

/** Returns the id of the tenant with a name; null for an empty name. @throws PlatformError */
export async function idOfParent({ admin }: Pick<Api, 'admin'>, name: string): Promise<string | null> {
  if (name === '') return null;
  const { items } = await admin.tenants({ name }, { items: { id: true } });
  if (items[0]) return items[0].id;
  throw new PlatformError('NOT_FOUND', `No tenant is named ${name}. Enter the exact name.`, { field: 'parentId' });
}

const useParent = (parentId: string | null) => {
  return useRead({
    queryKey: ['admin', 'tenant', parentId, 'name'],
    enabled: parentId !== null,
    read: ({ admin }, signal) => admin.tenant({ id: parentId! }, { name: true }, { signal }),
  }).data;
};

/** Link to the parent of a tenant. */
export function ParentLink({ parentId }: { parentId: string }) {
  return <Link href={`/${parentId}`}>{useParent(parentId)?.name ?? parentId}</Link>;
}

/** Button that changes the parent of a tenant. */
export function ChangeParent({ id, name, parentId }: { id: string; name: string; parentId: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const parent = useParent(parentId);
  const refusal = useRefusal(['admin', 'mutation', 'setTenantParent'], ['admin', 'query', 'tenants']);
  return (
    <>
      <Button size="small" refusal={refusal} disabled={parentId !== null && !parent} onClick={() => setOpen(true)}>
        Change parent
      </Button>
      {isOpen && <ParentDialog id={id} name={name} before={parent?.name ?? ''} onClose={() => setOpen(false)} />}
    </>
  );
}

function ParentDialog({ id, name, before, onClose }: { id: string; name: string; before: string; onClose: () => void }) {
  const form = useForm({
    first: { parent: before },
    paths: { parent: 'parentId' },
    send: async ({ parent }, api) => api.admin.setTenantParent({ id, parentId: await idOfParent(api, parent) }, { id: true }),
    done: 'Parent saved',
    again: ['admin'],
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={`Change the parent of ${name}`} action="Save parent" onClose={onClose}>
      <ParentField {...form.field('parent')} />
    </FormDialog>
  );
}
