import { useState } from 'react';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { isScheduled, type Mail, MAY_RESCHEDULE } from '../mails';
import { CancelEmail, sendNowWord, useWaitingActions } from '../waiting-actions';
import { RescheduleDialog } from './reschedule-dialog';

/** Actions on a queued mail. Stays visible when the mail is no longer queued, to show what came too late. */
export function WaitingMail({ mail }: { mail: Mail }) {
  const { id, status, sendAt, nextAttemptAt } = mail;
  const { sendNow, cancel, sendNowRefusal, cancelRefusal } = useWaitingActions();
  const rescheduleRefusal = useRefusal(MAY_RESCHEDULE);
  const [isCancelling, setCancelling] = useState(false);
  const [isRescheduling, setRescheduling] = useState(false);
  const waitsForTime = isScheduled(mail);
  return (
    <>
      {status === 'QUEUED' && (
        <div className="row wrap">
          <Button
            size="small"
            refusal={sendNowRefusal}
            disabled={sendNow.isPending || nextAttemptAt === null}
            onClick={() => sendNow.mutate(id)}
          >
            {sendNowWord(mail)}
          </Button>
          {waitsForTime && (
            <Button size="small" refusal={rescheduleRefusal} onClick={() => setRescheduling(true)}>
              Reschedule
            </Button>
          )}
          <Button
            size="small"
            look="danger"
            refusal={cancelRefusal}
            disabled={cancel.isPending}
            onClick={() => setCancelling(true)}
          >
            Cancel email
          </Button>
          <span className="muted small">
            {nextAttemptAt === null ? (
              'Sending now'
            ) : (
              <>
                {waitsForTime ? 'Sends' : 'Next attempt'} {formatTime(nextAttemptAt)} (<Time at={nextAttemptAt} />)
              </>
            )}
          </span>
        </div>
      )}
      {cancel.error && <ErrorNotice error={cancel.error} tried="cancel the email" />}
      {sendNow.error && <ErrorNotice error={sendNow.error} tried="send the email now" />}
      <CancelEmail
        mail={mail}
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onConfirm={() => cancel.mutateAsync(id)}
      />
      {isRescheduling && sendAt !== null && <RescheduleDialog id={id} sendAt={sendAt} onClose={() => setRescheduling(false)} />}
    </>
  );
}
