import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDescription } from '../api/api-context';
import { Button, Modal, TextField } from '../ui/controls';
import { ErrorNotice, Skeleton } from '../ui/states';
import { openTenant, readSession } from './session';

/** Dialog with the tenants of a person, in the order of their names. */
export function TenantSwitch({ onClose }: { onClose: () => void }) {
  const { tenant } = useDescription();
  const [from, setFrom] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['session', from],
    queryFn: ({ signal }) => readSession(from, signal),
    placeholderData: (before) => before,
  });
  const open = (id: string) => {
    onClose();
    openTenant(id);
  };
  return (
    <Modal title="Switch tenant" isOpen onClose={onClose}>
      <div className="stack">
        <TextField label="Tenants from" placeholder="First letters of the name" value={from} onChange={setFrom} />
        {error && <ErrorNotice error={error} tried="list your tenants" onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton label="Loading tenants" />}
        <ul className="stack tight" aria-label="Tenants">
          {data?.tenants.map(({ id, name }) => (
            <li key={id}>
              <Button look="plain" disabled={id === tenant.id} onClick={() => open(id)}>
                {name}
              </Button>
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  );
}
