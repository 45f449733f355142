import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal, TextField } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { isAbout, reasonOf } from '../words';
import { useReadAgain } from './use-domains';

interface NewDomainProps {
  onClose: () => void;
  onCreated: (domain: string) => void;
}

/** Creates a domain, which is shown with its records then. */
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) creating.mutate();
  };
  return (
    <Modal title="New domain" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label="Domain"
          hint="You get DNS records to add at your provider."
          fault={isAboutName ? reasonOf(creating.error) : undefined}
          autoComplete="off"
          autoFocus
          spellCheck={false}
          placeholder="example.com"
          value={name}
          onChange={setName}
        />
        {creating.error && !isAboutName && <ErrorNotice error={creating.error} tried="create the domain" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={creating.isPending || !name.trim()}>
            Create domain
          </Button>
        </div>
      </form>
    </Modal>
  );
}
