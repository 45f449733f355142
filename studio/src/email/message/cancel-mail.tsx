import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { MAY_CANCEL } from '../mails';

interface CancelMailProps {
  id: string;
  title: string;
}

/** Ends the attempts to deliver a mail that waits. */
export function CancelMail({ id, title }: CancelMailProps) {
  const { email } = useApi();
  const client = useQueryClient();
  const refusal = useRefusal(MAY_CANCEL);
  const [isAsking, setAsking] = useState(false);
  const cancel = useMutation({
    mutationFn: () => email.cancelMessage({ id }, { id: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['email'] }),
  });
  return (
    <>
      <div className="row wrap">
        <Button size="small" look="danger" refusal={refusal} disabled={cancel.isPending} onClick={() => setAsking(true)}>
          Stop sending
        </Button>
        <span className="muted small">It waits for its next attempt.</span>
      </div>
      {cancel.error && <ErrorNotice error={cancel.error} tried="stop sending the mail" />}
      <Confirm
        title={`Stop sending “${title}”?`}
        action="Stop sending"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel.mutateAsync()}
      >
        Whoever has not got it yet does not get it. It cannot be resumed, only sent anew.
      </Confirm>
    </>
  );
}
