import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import type { MenuEntry } from '../../ui/controls';
import { toasts } from '../../ui/toasts';
import { MAY_SEND, type Row } from '../mails';
import { CancelEmail, sendNowWord, useWaitingActions } from '../waiting-actions';

/** Actions on a mail from its row, as its state allows, and the question before it is cancelled. */
export function useMailRowActions(): { actionsOf: (mail: Row) => (MenuEntry | false)[]; question: ReactNode } {
  const { sendNow, cancel, sendNowRefusal, cancelRefusal } = useWaitingActions();
  const [, navigate] = useLocation();
  const sendRefusal = useRefusal(MAY_SEND);
  const [cancelled, setCancelled] = useState<Row>();
  const onError = ({ message }: Error) => toasts.add({ title: `Couldn’t send the email: ${message}` });
  const actionsOf = (mail: Row) => [
    mail.status === 'QUEUED' && {
      label: sendNowWord(mail),
      onSelect: () => sendNow.mutate(mail.id, { onError }),
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
    <CancelEmail
      mail={cancelled}
      isOpen
      onClose={() => setCancelled(undefined)}
      onConfirm={() => cancel.mutateAsync(cancelled.id)}
    />
  );
  return { actionsOf, question };
}
