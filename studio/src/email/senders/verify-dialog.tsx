import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { Button, Field, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { isAbout, reasonOf } from '../words';
import { senderPath } from './use-senders';

/** Asks for an address, and sends a link to it. */
export function VerifyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="New sender" isOpen={isOpen} onClose={onClose}>
      <VerifyForm onClose={onClose} />
    </Modal>
  );
}

function VerifyForm({ onClose }: { onClose: () => void }) {
  const { email } = useApi();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [address, setAddress] = useState('');
  const verify = useMutation({
    mutationFn: () => email.verifyEmailIdentity({ address: address.trim() }),
    onSuccess: async (sender) => {
      await client.invalidateQueries({ queryKey: ['email', 'senders'] });
      onClose();
      navigate(senderPath(sender.address ?? address.trim()));
    },
  });
  const isAboutAddress = isAbout(verify.error, 'address');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (address.trim()) verify.mutate();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <Field
        label="Address"
        hint="We send a verification link to this address. It expires after 24 hours."
        fault={isAboutAddress ? reasonOf(verify.error) : undefined}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="email"
            autoComplete="email"
            autoFocus
            value={address}
            onChange={({ target }) => setAddress(target.value)}
            placeholder="shop@example.com"
          />
        )}
      </Field>
      {verify.error && !isAboutAddress && <ErrorNotice error={verify.error} tried="send the link" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={verify.isPending || !address.trim()}>
          Send link
        </Button>
      </div>
    </form>
  );
}
