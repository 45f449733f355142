import { useState } from 'react';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button, Modal } from '../../ui/controls';
import type { Created } from '../model/save';
import { doorOf, type Hook, POLL, WEBHOOKS, WHOLE_DELIVERY } from '../model/webhook';
import { RotateDialog } from '../../ui/rotate-dialog';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { DeliveryFacts } from '../deliveries/delivery-facts';
import { SOURCES, typeOf } from '../model/sources';

interface ActionsProps {
  hook: Hook;
  onDeleted: () => void;
  onEdit: () => void;
  onSecret: (created: Created) => void;
}

/** Actions on a webhook. */
export function WebhookActions({ hook, onDeleted, onEdit, onSecret }: ActionsProps) {
  const { id, source, url } = hook;
  const [open, setOpen] = useState<'test' | 'rotate'>();
  const close = () => setOpen(undefined);
  const deleting = useAction((api) => doorOf(api, source).deleteWebhook({ id: id! }), {
    done: 'Webhook deleted',
    again: WEBHOOKS,
    onDone: onDeleted,
  });
  const isPolled = url === POLL;
  return (
    <>
      <div className="row wrap">
        <Button
          size="small"
          right={[source, 'mutation', 'testWebhook']}
          refusal={isPolled ? 'No URL to send a test to' : undefined}
          onClick={() => setOpen('test')}
        >
          Send test
        </Button>
        <Button size="small" right={[source, 'mutation', 'updateWebhook']} onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" right={[source, 'mutation', 'rotateWebhookSecret']} onClick={() => setOpen('rotate')}>
          Rotate secret
        </Button>
        <ConfirmButton
          word="Delete"
          size="small"
          right={[source, 'mutation', 'deleteWebhook']}
          title={`Delete the webhook to ${url}?`}
          action="Delete webhook"
          onConfirm={() => deleting.mutateAsync()}
        >
          The webhook stops receiving events. Pending events and the delivery history are deleted. This can’t be undone.
        </ConfirmButton>
      </div>
      {open === 'test' && <SendTest hook={hook} onClose={close} />}
      {open === 'rotate' && <RotateSecret hook={hook} onClose={close} onSecret={onSecret} />}
    </>
  );
}

interface RotateProps {
  hook: Hook;
  onClose: () => void;
  onSecret: (created: Created) => void;
}

/** Creates a new secret. Both sign requests during the overlap. */
function RotateSecret({ hook, onClose, onSecret }: RotateProps) {
  const { id, source } = hook;
  return (
    <RotateDialog
      title="Rotate secret"
      about="Requests are signed with both secrets until the current one expires."
      label="The current secret expires"
      what="secret"
      longestDays={7}
      rotate={(api, overlap) => doorOf(api, source).rotateWebhookSecret({ id: id!, overlap })}
      again={WEBHOOKS}
      onSecret={(secret) => {
        onSecret({ hook, secret });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

const PING = 'ping';

/** Dialog that sends a ping, or a sample of an event of the service, and shows the response. */
function SendTest({ hook: { id, source }, onClose }: { hook: Hook; onClose: () => void }) {
  const { events } = SOURCES[source];
  const form = useForm({
    first: { type: PING },
    send: ({ type }, api) => doorOf(api, source).testWebhook({ id: id!, ...(type !== PING && { type }) }, WHOLE_DELIVERY),
    again: WEBHOOKS,
  });
  const { type } = form.values;
  if (form.result) {
    return (
      <Modal title="Test result" form="drawer" isOpen onClose={onClose}>
        <DeliveryFacts delivery={form.result} />
      </Modal>
    );
  }
  return (
    <FormDialog
      form={form}
      title="Send test event"
      action={form.isBusy ? 'Sending…' : 'Send'}
      tried="send a test event"
      onClose={onClose}
    >
      <SelectField
        label="Type"
        hint={
          type === PING
            ? 'An event without data, sent once and at once.'
            : `${events[type]} Sent once with sample data and "test": true.`
        }
        words={[[PING, PING], ...Object.keys(events).map((one): [string, string] => [one, typeOf(one)])]}
        {...form.field('type')}
      />
    </FormDialog>
  );
}
