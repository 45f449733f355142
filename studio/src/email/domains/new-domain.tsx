import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { isAbout, reasonOf } from '../words';
import { useReadAgain } from './use-domains';

interface NewDomainProps {
  onClose: () => void;
  onCreated: (domain: string) => void;
}

/** Form that creates a domain, and then shows its records. */
export function NewDomain({ onClose, onCreated }: NewDomainProps) {
  const { email } = useApi();
  const readAgain = useReadAgain();
  const [name, setName] = useState('');
  const creating = useMutation({
    mutationFn: () => email.createEmailDomain({ domain: name.trim() }),
    onSuccess: async ({ domain }) => {
      await readAgain();
      onCreated(domain!);
    },
  });
  const isAboutName = isAbout(creating.error, 'domain');
  return (
    <FormDialog
      title="New domain"
      action="Create domain"
      tried="create the domain"
      sending={creating}
      isReady={name.trim() !== ''}
      isToldByField={isAboutName}
      onSend={creating.mutate}
      onClose={onClose}
    >
      <TextField
        label="Domain"
        hint="You get DNS records to add at your provider."
        fault={isAboutName ? reasonOf(creating.error) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="example.com"
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
}
