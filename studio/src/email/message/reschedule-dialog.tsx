import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { FormDialog } from '../../ui/form-dialog';
import { SendAtField } from '../send-at-field';
import { isAbout, reasonOf } from '../words';

interface RescheduleProps {
  id: string;
  sendAt: string;
  onClose: () => void;
}

/** Dialog for another time to send a mail. */
export function RescheduleDialog({ id, sendAt, onClose }: RescheduleProps) {
  const { email } = useApi();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | undefined>(sendAt);
  const reschedule = useMutation({
    meta: { done: 'Email rescheduled' },
    mutationFn: (at: string) => email.rescheduleMessage({ id, sendAt: at }, { id: true }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  const { error } = reschedule;
  const missing = chosen ? undefined : 'Enter a date and time.';
  const isAboutTime = isAbout(error, 'sendAt');
  return (
    <FormDialog
      title="Reschedule email"
      action="Reschedule"
      tried="reschedule the email"
      sending={reschedule}
      refusal={chosen ? undefined : 'Enter a date and time first'}
      isToldByField={isAboutTime}
      onSend={() => chosen && reschedule.mutate(chosen)}
      onClose={onClose}
    >
      <SendAtField value={chosen} onChange={setChosen} fault={missing ?? (isAboutTime ? reasonOf(error) : undefined)} />
    </FormDialog>
  );
}
