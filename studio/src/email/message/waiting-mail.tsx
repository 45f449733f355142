import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { isScheduled, type Mail, MAY_CANCEL, MAY_RESCHEDULE, MAY_SEND_NOW } from '../mails';
import { RescheduleDialog } from './reschedule-dialog';

/** What can be done with a mail that waits. Stays where it stops waiting, to say what came too late. */
export function WaitingMail({ mail, title }: { mail: Mail; title: string }) {
  const { id, status, sendAt, nextAttemptAt } = mail;
  const { email } = useApi();
  const client = useQueryClient();
  const cancelRefusal = useRefusal(MAY_CANCEL);
  const rescheduleRefusal = useRefusal(MAY_RESCHEDULE);
  const sendNowRefusal = useRefusal(MAY_SEND_NOW);
  const [isCancelling, setCancelling] = useState(false);
  const [isRescheduling, setRescheduling] = useState(false);
  const cancel = useMutation({
    meta: { done: 'Email cancelled' },
    mutationFn: () => email.cancelMessage({ id }, { id: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  const sendNow = useMutation({
    meta: { done: 'Email sent to the queue' },
    mutationFn: () => email.sendMessageNow({ id }, { id: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  const waitsForTime = isScheduled(mail);
  return (
    <>
      {status === 'QUEUED' && (
        <div className="row wrap">
          <Button
            size="small"
            refusal={sendNowRefusal}
            disabled={sendNow.isPending || nextAttemptAt === null}
            onClick={() => sendNow.mutate()}
          >
            {waitsForTime ? 'Send now' : 'Retry now'}
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
      <Confirm
        title={`Cancel “${title}”?`}
        action="Cancel email"
        keep="Keep email"
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onConfirm={() => cancel.mutateAsync()}
      >
        {waitsForTime
          ? 'No recipient gets this email. This can’t be undone.'
          : 'Recipients who don’t have this email yet won’t get it. This can’t be undone.'}
      </Confirm>
      {isRescheduling && sendAt !== null && <RescheduleDialog id={id} sendAt={sendAt} onClose={() => setRescheduling(false)} />}
    </>
  );
}
