import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { CopyButton } from '../../ui/copy';
import { Detail, Facts } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { toasts } from '../../ui/toasts';
import { MAY_DELETE_SENDER, MAY_SEND, MAY_VERIFY } from '../mails';
import { SENDER_WORDS, undeliveredReason } from '../words';
import type { Sender } from './use-senders';
import styles from '../email.module.css';

/** One address: whether it is verified, and its link. */
export function SenderDetail({ sender, onClose }: { sender: Sender; onClose: () => void }) {
  const { email } = useApi();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  const sendRefusal = useRefusal(MAY_SEND);
  const verifyRefusal = useRefusal(MAY_VERIFY);
  const deleteRefusal = useRefusal(MAY_DELETE_SENDER);
  const address = sender.address ?? '';
  const readAgain = () => client.invalidateQueries({ queryKey: ['email', 'senders'] });
  const sendLink = useMutation({
    mutationFn: () => email.verifyEmailIdentity({ address }),
    onSuccess: () => {
      toasts.add({ title: `Verification link sent to ${address}` });
      return readAgain();
    },
  });
  const remove = useMutation({
    meta: { done: 'Sender deleted' },
    mutationFn: () => email.deleteEmailIdentity({ address }),
    onSuccess: async () => {
      onClose();
      await readAgain();
    },
  });
  return (
    <Detail
      title={address}
      onClose={onClose}
      of={{ json: sender, request: { service: 'email', operation: 'emailIdentities', variables: {} } }}
    >
      <div className="row wrap">
        {sender.status && <Status {...SENDER_WORDS[sender.status]} />}
        <CopyButton text={address} label="Copy address" />
      </div>
      <p className={`muted ${styles.about}`}>{aboutOf(sender)}</p>
      {sender.lastError && (
        <div className={sender.status === 'FAILED' ? 'notice bad' : 'notice wait'}>
          <div className="stack tight grow">
            <strong>Couldn’t send the verification link{sender.status === 'PENDING' ? ' yet' : ''}.</strong>
            <span className="break">{undeliveredReason(sender.lastError, address)}</span>
          </div>
        </div>
      )}
      <div className="row wrap">
        {sender.status === 'VERIFIED' ? (
          <Button refusal={sendRefusal} onClick={() => navigate(`/compose?from=${encodeURIComponent(address)}`)}>
            New email
          </Button>
        ) : (
          <Button refusal={verifyRefusal} disabled={sendLink.isPending} onClick={() => sendLink.mutate()}>
            Resend link
          </Button>
        )}
        <Button look="danger" refusal={deleteRefusal} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {sendLink.error && <ErrorNotice error={sendLink.error} tried="resend the link" />}
      {remove.error && <ErrorNotice error={remove.error} tried={`delete ${address}`} />}
      <Facts
        of={[
          ['Requested', sender.createdAt ? <Time key="asked" at={sender.createdAt} /> : undefined],
          ['Verified', sender.verifiedAt ? <Time key="agreed" at={sender.verifiedAt} /> : undefined],
        ]}
      />
      <Confirm
        title={`Delete ${address}?`}
        action="Delete sender"
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutateAsync()}
      >
        Queued emails are still sent. To send from this address again, verify it again.
      </Confirm>
    </Detail>
  );
}

function aboutOf({ status }: Sender): string {
  if (status === 'VERIFIED') return 'You can send from this address.';
  if (status === 'FAILED') return 'The verification link wasn’t delivered. Check the address, then resend the link.';
  return 'Open the verification link in this inbox and confirm. The link expires after 24 hours. Resending replaces the earlier link.';
}
