import { useMutation } from '@tanstack/react-query';
import { useApi, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain } from '../model/reads';
import { type Delivery, doorOf, type Hook, isOn } from '../model/webhook';

/** Sends one event again, or now if it is pending. A ping has no second time. */
export function ResendButton({ hook, delivery }: { hook: Hook; delivery: Delivery }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const { id, source } = hook;
  const refusal = useRefusal([source, 'mutation', 'redeliver']);
  const isPending = delivery.status === 'PENDING';
  const sending = useMutation({
    meta: { done: isPending ? 'Sending now' : 'Sending again' },
    mutationFn: () => doorOf(api, source).redeliver({ webhookId: id!, ids: [delivery.id!] }),
    onSettled: readAgain,
  });
  if (!delivery.event) return null;
  return (
    <>
      <Button
        size="small"
        refusal={refusal ?? (isOn(hook) ? undefined : 'Turn on “Send events” first')}
        disabled={sending.isPending}
        onClick={() => sending.mutate()}
      >
        {isPending ? 'Send now' : 'Resend'}
      </Button>
      {sending.error && <ErrorNotice error={sending.error} tried="send the event" />}
    </>
  );
}
