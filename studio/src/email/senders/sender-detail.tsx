import { useLocation } from 'wouter';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { CopyButton } from '../../ui/copy';
import { Detail, Facts } from '../../ui/page';
import { ErrorNotice } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { MAY_DELETE_SENDER, MAY_SEND, MAY_VERIFY } from '../mails';
import { SENDER_WORDS, undeliveredReason } from '../words';
import { type Sender, SENDERS } from './use-senders';
import styles from '../email.module.css';

/** One address: whether it is verified, and its link. */
export function SenderDetail({ sender, onClose }: { sender: Sender; onClose: () => void }) {
  const [, navigate] = useLocation();
  const address = sender.address ?? '';
  const sendLink = useAction(({ email }) => email.verifyEmailIdentity({ address }), {
    done: `Verification link sent to ${address}`,
    again: SENDERS,
  });
  const remove = useAction(({ email }) => email.deleteEmailIdentity({ address }), {
    done: 'Sender deleted',
    again: SENDERS,
    onDone: onClose,
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
          <Button right={MAY_SEND} onClick={() => navigate(`/compose?from=${encodeURIComponent(address)}`)}>
            New email
          </Button>
        ) : (
          <Button right={MAY_VERIFY} disabled={sendLink.isPending} onClick={() => sendLink.mutate()}>
            Resend link
          </Button>
        )}
        <ConfirmButton
          word="Delete"
          right={MAY_DELETE_SENDER}
          title={`Delete ${address}?`}
          action="Delete sender"
          onConfirm={() => remove.mutateAsync()}
        >
          Queued emails are still sent. To send from this address again, verify it again.
        </ConfirmButton>
      </div>
      {sendLink.error && <ErrorNotice error={sendLink.error} tried="resend the link" />}
      <Facts
        of={[
          ['Requested', sender.createdAt ? <Time key="asked" at={sender.createdAt} /> : undefined],
          ['Verified', sender.verifiedAt ? <Time key="agreed" at={sender.verifiedAt} /> : undefined],
        ]}
      />
    </Detail>
  );
}

function aboutOf({ status }: Sender): string {
  if (status === 'VERIFIED') return 'You can send from this address.';
  if (status === 'FAILED') return 'The verification link wasn’t delivered. Check the address, then resend the link.';
  return 'Open the verification link in this inbox and confirm. The link expires after 24 hours. Resending replaces the earlier link.';
}
