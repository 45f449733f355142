import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../api/api-context';
import { Button, Modal, TextField } from '../ui/controls';
import { ErrorNotice } from '../ui/states';

/** Makes a tenant. */
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  return (
    <Modal title="New tenant" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          hint="Unique, and can’t be changed later. Shown in verification emails."
          required
          maxLength={256}
          autoComplete="off"
          value={name}
          onChange={setName}
        />
        {creating.error && <ErrorNotice error={creating.error} tried="create the tenant" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={creating.isPending || name === ''}>
            Create tenant
          </Button>
        </div>
      </form>
    </Modal>
  );
}
