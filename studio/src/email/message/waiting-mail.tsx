import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { formatTime } from '../../ui/format';
import { ErrorNotice } from '../../ui/states';
import { Time } from '../../ui/status';
import { isScheduled, type Mail, MAY_CANCEL, MAY_RESCHEDULE } from '../mails';
import { RescheduleDialog } from './reschedule-dialog';

/** What ends a mail is called by what it waits for. */
const WORDS = {
  scheduled: {
    action: 'Cancel mail',
    question: (title: string) => `Cancel “${title}”?`,
    keep: 'Keep it',
    loss: 'Nobody gets it. It can’t be brought back, only written again.',
    tried: 'cancel the mail',
  },
  begun: {
    action: 'Stop sending',
    question: (title: string) => `Stop sending “${title}”?`,
    keep: 'Cancel',
    loss: 'Whoever has not got it yet does not get it. It cannot be resumed, only sent anew.',
    tried: 'stop sending the mail',
  },
};

/** What can be done with a mail that waits. Stays where it stops waiting, to say what came too late. */
export function WaitingMail({ mail, title }: { mail: Mail; title: string }) {
  const { id, status, sendAt } = mail;
  const { email } = useApi();
  const client = useQueryClient();
  const cancelRefusal = useRefusal(MAY_CANCEL);
  const rescheduleRefusal = useRefusal(MAY_RESCHEDULE);
  const [isCancelling, setCancelling] = useState(false);
  const [isRescheduling, setRescheduling] = useState(false);
  const cancel = useMutation({
    mutationFn: () => email.cancelMessage({ id }, { id: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  const waitsForTime = isScheduled(mail);
  const words = waitsForTime ? WORDS.scheduled : WORDS.begun;
  return (
    <>
      {status === 'QUEUED' && (
        <div className="row wrap">
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
            {words.action}
          </Button>
          <span className="muted small">
            {waitsForTime ? (
              <>
                Sends {formatTime(sendAt!)} (<Time at={sendAt!} />)
              </>
            ) : (
              'It waits for its next attempt.'
            )}
          </span>
        </div>
      )}
      {cancel.error && <ErrorNotice error={cancel.error} tried={words.tried} />}
      <Confirm
        title={words.question(title)}
        action={words.action}
        keep={words.keep}
        isOpen={isCancelling}
        onClose={() => setCancelling(false)}
        onConfirm={() => cancel.mutateAsync()}
      >
        {words.loss}
      </Confirm>
      {sendAt !== null && (
        <RescheduleDialog id={id} sendAt={sendAt} isOpen={isRescheduling} onClose={() => setRescheduling(false)} />
      )}
    </>
  );
}
