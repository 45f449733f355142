import { useState } from 'react';
import { Button } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { isScheduled, type Mail, MAY_RESCHEDULE } from '../mails';
import { CancelEmail, sendNowWord, useWaitingActions } from '../waiting-actions';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { SendAtField } from '../send-at-field';

/** Actions on a queued mail. Stays visible when the mail is no longer queued, to show what came too late. */
export function WaitingMail({ mail }: { mail: Mail }) {
  const { id, status, sendAt, nextAttemptAt } = mail;
  const { sendNow, cancel, sendNowRefusal, cancelRefusal } = useWaitingActions();
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
            <Button size="small" right={MAY_RESCHEDULE} onClick={() => setRescheduling(true)}>
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

/** Dialog for another time to send a mail. */
function RescheduleDialog({ id, sendAt: first, onClose }: { id: string; sendAt: string; onClose: () => void }) {
  const form = useForm({
    first: { sendAt: first as string | undefined },
    send: ({ sendAt }, { email }) => email.rescheduleMessage({ id, sendAt: sendAt! }, { id: true }),
    done: 'Email rescheduled',
    again: ['email'],
    onDone: onClose,
  });
  const { fault, ...field } = form.field('sendAt');
  return (
    <FormDialog
      form={form}
      title="Reschedule email"
      action="Reschedule"
      tried="reschedule the email"
      refusal={field.value ? undefined : 'Enter a date and time first'}
      onClose={onClose}
    >
      <SendAtField {...field} fault={field.value ? fault : 'Enter a date and time.'} />
    </FormDialog>
  );
}
