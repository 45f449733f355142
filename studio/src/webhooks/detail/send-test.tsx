import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Modal } from '../../ui/controls';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { toasts } from '../../ui/toasts';
import { DeliveryFacts } from '../deliveries/delivery-facts';
import { useReadAgain } from '../model/reads';
import { typeOf } from '../model/sources';
import { type Delivery, doorOf, type Hook, WHOLE_DELIVERY } from '../model/webhook';

const PING = 'ping';

/** Dialog that sends a ping, or the latest event of a type. */
export function SendTest({ hook: { id, source, events }, onClose }: { hook: Hook; onClose: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const [event, setEvent] = useState(PING);
  const cannotResend = useRefusal([source, 'mutation', 'redeliver'], [source, 'query', 'webhookDeliveries']);
  const door = doorOf(api, source);
  const sending = useMutation({
    mutationFn: async (): Promise<Delivery | undefined> => {
      if (event === PING) return door.testWebhook({ id: id! }, WHOLE_DELIVERY);
      const wanted = { webhookId: id!, filter: { event }, limit: 1, nextToken: null };
      const [latest] = (await door.webhookDeliveries(wanted, undefined, {})).items;
      if (!latest) throw new Error(`No ${typeOf(event)} event is stored yet. Send a ping, or cause such an event.`);
      await door.redeliver({ webhookId: id!, ids: [latest.id!] });
      return undefined;
    },
    onSuccess: (delivery) => {
      if (delivery) return;
      toasts.add({ title: `Sending the latest ${typeOf(event)} event` });
      onClose();
    },
    onSettled: readAgain,
  });
  if (sending.data) {
    return (
      <Modal title="Test result" form="drawer" isOpen onClose={onClose}>
        <DeliveryFacts delivery={sending.data} />
      </Modal>
    );
  }
  return (
    <FormDialog
      title="Send test event"
      action={sending.isPending ? 'Sending…' : 'Send'}
      tried="send a test event"
      sending={sending}
      refusal={event === PING ? undefined : cannotResend}
      onSend={sending.mutate}
      onClose={onClose}
    >
      <SelectField
        label="Type"
        hint={
          event === PING
            ? 'An event without data, sent once and at once.'
            : 'Sends the latest stored event of this type again, with its ID.'
        }
        words={[[PING, PING], ...(events ?? []).map((one): [string, string] => [one, typeOf(one)])]}
        value={event}
        onChange={setEvent}
      />
    </FormDialog>
  );
}
