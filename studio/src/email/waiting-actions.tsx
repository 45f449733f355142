import { useRefusal } from '../api/api-context';
import { useAction } from '../api/use-action';
import { Confirm } from '../ui/confirm';
import { isScheduled, type Mail, MAY_CANCEL, MAY_SEND_NOW, type Row } from './mails';
import { NO_SUBJECT } from './words';

/** Mutations of a queued mail, by its id, and the missing scope entries. */
export function useWaitingActions() {
  const sendNow = useAction(({ email }, id: string) => email.sendMessageNow({ id }, { id: true }), {
    done: 'Email sent to the queue',
    again: ['email'],
  });
  const cancel = useAction(({ email }, id: string) => email.cancelMessage({ id }, { id: true }), {
    done: 'Email cancelled',
    again: ['email'],
  });
  return { sendNow, cancel, sendNowRefusal: useRefusal(MAY_SEND_NOW), cancelRefusal: useRefusal(MAY_CANCEL) };
}

export const sendNowWord = (mail: Mail | Row) => (isScheduled(mail) ? 'Send now' : 'Retry now');

/** Dialog before a mail is cancelled. */
export function CancelEmail({ mail, ...dialog }: { mail: Mail | Row; isOpen: boolean; onClose(): void; onConfirm(): unknown }) {
  return (
    <Confirm title={`Cancel “${mail.subject || NO_SUBJECT}”?`} action="Cancel email" keep="Keep email" {...dialog}>
      {isScheduled(mail)
        ? 'No recipient gets this email. This can’t be undone.'
        : 'Recipients who don’t have this email yet won’t get it. This can’t be undone.'}
    </Confirm>
  );
}
