import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { isAbout, reasonOf } from '../words';
import { senderPath } from './use-senders';

/** Dialog that sends a verification link to an address. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
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
  return (
    <FormDialog
      title="New sender"
      action="Send link"
      tried="send the link"
      sending={verify}
      isReady={address.trim() !== ''}
      isToldByField={isAboutAddress}
      onSend={verify.mutate}
      onClose={onClose}
    >
      <TextField
        label="Address"
        hint="We send a verification link to this address. It expires after 24 hours."
        fault={isAboutAddress ? reasonOf(verify.error) : undefined}
        inputMode="email"
        autoComplete="email"
        placeholder="shop@example.com"
        value={address}
        onChange={setAddress}
      />
    </FormDialog>
  );
}
