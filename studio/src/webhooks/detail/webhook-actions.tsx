import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { DeliveryFacts } from '../deliveries/delivery-facts';
import { EditWebhook } from '../form/edit-webhook';
import { useReadAgain } from '../model/reads';
import { doorOf, type Hook, POLL, WHOLE_DELIVERY } from '../model/webhook';
import { RotateSecret } from './rotate-secret';

interface ActionsProps {
  hook: Hook;
  onDeleted: () => void;
  onSecret: (secret: string) => void;
}

/** Actions on a webhook. */
export function WebhookActions({ hook, onDeleted, onSecret }: ActionsProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const { id, source, url } = hook;
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const close = () => setOpen(undefined);
  const cannotTest = useRefusal([source, 'mutation', 'testWebhook']);
  const cannotEdit = useRefusal([source, 'mutation', 'updateWebhook']);
  const cannotRotate = useRefusal([source, 'mutation', 'rotateWebhookSecret']);
  const cannotDelete = useRefusal([source, 'mutation', 'deleteWebhook']);
  const testing = useMutation({
    mutationFn: () => doorOf(api, source).testWebhook({ id: id! }, WHOLE_DELIVERY),
    onSettled: readAgain,
  });
  const deleting = useMutation({
    meta: { done: 'Webhook deleted' },
    mutationFn: () => doorOf(api, source).deleteWebhook({ id: id! }),
    onSuccess: () => {
      onDeleted();
      void readAgain();
    },
  });
  const isPolled = url === POLL;
  return (
    <>
      <div className="row wrap">
        <Button
          size="small"
          refusal={cannotTest ?? (isPolled ? 'No URL to send a test to' : undefined)}
          disabled={testing.isPending}
          onClick={() => testing.mutate()}
        >
          {testing.isPending ? 'Sending…' : 'Send test'}
        </Button>
        <Button size="small" refusal={cannotEdit} onClick={() => setOpen('edit')}>
          Edit
        </Button>
        <Button size="small" refusal={cannotRotate} onClick={() => setOpen('rotate')}>
          Rotate secret
        </Button>
        <Button size="small" look="danger" refusal={cannotDelete} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {testing.error && <ErrorNotice error={testing.error} tried="send a test" />}
      {deleting.error && <ErrorNotice error={deleting.error} tried="delete the webhook" />}
      {testing.data && (
        <Modal title="Test result" form="drawer" isOpen onClose={testing.reset}>
          <DeliveryFacts delivery={testing.data} />
        </Modal>
      )}
      {open === 'edit' && <EditWebhook hook={hook} onClose={close} />}
      {open === 'rotate' && <RotateSecret hook={hook} onClose={close} onSecret={onSecret} />}
      <Confirm
        title={`Delete the webhook to ${url}?`}
        action="Delete webhook"
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => deleting.mutateAsync()}
      >
        The webhook stops receiving events. Pending events and the delivery history are deleted. This can’t be undone.
      </Confirm>
    </>
  );
}
