import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/api-context';
import { TextField } from '../ui/controls';
import { FormDialog } from '../ui/form-dialog';

/** Form that creates a tenant. */
export function TenantDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: () => admin.createTenant({ input: { name } }, { id: true }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['admin'] });
      onClose();
      onCreated(id!);
    },
  });
  return (
    <FormDialog
      title="New tenant"
      action="Create tenant"
      tried="create the tenant"
      sending={creating}
      isReady={name !== ''}
      onSend={creating.mutate}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Unique, and can’t be changed later. Shown in verification emails."
        required
        maxLength={256}
        autoComplete="off"
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
