import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain } from '../model/reads';
import type { Created } from '../model/save';
import { doorOf, type Hook, POLL } from '../model/webhook';
import { RotateSecret } from './rotate-secret';
import { SendTest } from './send-test';

interface ActionsProps {
  hook: Hook;
  onDeleted: () => void;
  onEdit: () => void;
  onSecret: (created: Created) => void;
}

/** Actions on a webhook. */
export function WebhookActions({ hook, onDeleted, onEdit, onSecret }: ActionsProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const { id, source, url } = hook;
  const [open, setOpen] = useState<'test' | 'rotate' | 'delete'>();
  const close = () => setOpen(undefined);
  const cannotTest = useRefusal([source, 'mutation', 'testWebhook']);
  const cannotEdit = useRefusal([source, 'mutation', 'updateWebhook']);
  const cannotRotate = useRefusal([source, 'mutation', 'rotateWebhookSecret']);
  const cannotDelete = useRefusal([source, 'mutation', 'deleteWebhook']);
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
          onClick={() => setOpen('test')}
        >
          Send test
        </Button>
        <Button size="small" refusal={cannotEdit} onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" refusal={cannotRotate} onClick={() => setOpen('rotate')}>
          Rotate secret
        </Button>
        <Button size="small" look="danger" refusal={cannotDelete} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {deleting.error && <ErrorNotice error={deleting.error} tried="delete the webhook" />}
      {open === 'test' && <SendTest hook={hook} onClose={close} />}
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
