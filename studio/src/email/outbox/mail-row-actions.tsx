import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { Confirm, type MenuEntry } from '../../ui/controls';
import { toasts } from '../../ui/toasts';
import { isScheduled, MAY_CANCEL, MAY_SEND, MAY_SEND_NOW, type Row } from '../mails';
import { NO_SUBJECT } from '../words';

/** Actions on a mail from its row, as its state allows, and the question before it is cancelled. */
export function useMailRowActions(): { actionsOf: (mail: Row) => (MenuEntry | false)[]; question: ReactNode } {
  const { email } = useApi();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const sendNowRefusal = useRefusal(MAY_SEND_NOW);
  const cancelRefusal = useRefusal(MAY_CANCEL);
  const sendRefusal = useRefusal(MAY_SEND);
  const [cancelled, setCancelled] = useState<Row>();
  const readAgain = () => client.invalidateQueries({ queryKey: ['email'] });
  const sendNow = async (id: string) => {
    try {
      await email.sendMessageNow({ id }, { id: true });
      toasts.add({ title: 'The email is sent now' });
    } catch (error) {
      toasts.add({ title: `Couldn’t send the email: ${(error as Error).message}` });
    }
    await readAgain();
  };
  const actionsOf = (mail: Row) => [
    mail.status === 'QUEUED' && {
      label: isScheduled(mail) ? 'Send now' : 'Retry now',
      onSelect: () => void sendNow(mail.id),
      refusal: sendNowRefusal,
    },
    { label: 'Duplicate', onSelect: () => navigate(`/compose?like=${mail.id}`), refusal: sendRefusal },
    mail.status === 'QUEUED' && {
      label: 'Cancel email',
      onSelect: () => setCancelled(mail),
      refusal: cancelRefusal,
      isDanger: true,
    },
  ];
  const question = cancelled && (
    <Confirm
      title={`Cancel “${cancelled.subject || NO_SUBJECT}”?`}
      action="Cancel email"
      keep="Keep email"
      isOpen
      onClose={() => setCancelled(undefined)}
      onConfirm={() => email.cancelMessage({ id: cancelled.id }, { id: true }).finally(readAgain)}
    >
      Recipients who don’t have this email yet won’t get it. This can’t be undone.
    </Confirm>
  );
  return { actionsOf, question };
}
