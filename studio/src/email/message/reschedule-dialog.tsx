import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { SendAtField } from '../send-at-field';
import { isAbout, reasonOf } from '../words';

interface RescheduleProps {
  id: string;
  sendAt: string;
  onClose: () => void;
}

/** Asks for another time to send a mail at. */
export function RescheduleDialog({ isOpen, ...rest }: RescheduleProps & { isOpen: boolean }) {
  return (
    <Modal title="Reschedule email" isOpen={isOpen} onClose={rest.onClose}>
      <RescheduleForm {...rest} />
    </Modal>
  );
}

function RescheduleForm({ id, sendAt, onClose }: RescheduleProps) {
  const { email } = useApi();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | undefined>(sendAt);
  const [isChecked, setChecked] = useState(false);
  const reschedule = useMutation({
    meta: { done: 'Email rescheduled' },
    mutationFn: (at: string) => email.rescheduleMessage({ id, sendAt: at }, { id: true }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  const { error } = reschedule;
  const isAboutTime = isAbout(error, 'sendAt');
  const missing = isChecked && !chosen ? 'Enter a date and time.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (chosen) reschedule.mutate(chosen);
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <SendAtField value={chosen} onChange={setChosen} fault={missing ?? (isAboutTime ? reasonOf(error) : undefined)} />
      {error && !isAboutTime && <ErrorNotice error={error} tried="reschedule the email" />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={reschedule.isPending}>
          Reschedule
        </Button>
      </div>
    </form>
  );
}
