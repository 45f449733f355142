import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain } from '../model/reads';
import { doorOf, type Hook } from '../model/webhook';
import { type Draft, isComplete, WebhookFields } from './webhook-fields';

/** Changes address, events and description of a webhook. */
export function EditWebhook({ hook, onClose }: { hook: Hook; onClose: () => void }) {
  const api = useApi();
  const readAgain = useReadAgain();
  const { id, source } = hook;
  const [draft, setDraft] = useState<Draft>({
    url: hook.url ?? '',
    events: hook.events ?? [],
    description: hook.description ?? '',
  });
  const saving = useMutation({
    meta: { done: 'Webhook saved' },
    mutationFn: () => {
      const { url, events, description } = draft;
      return doorOf(api, source).updateWebhook({ id: id!, input: { url, events, description: description || null } });
    },
    onSuccess: async () => {
      await readAgain();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <Modal title="Edit webhook" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <WebhookFields source={source} draft={draft} onChange={setDraft} />
        {saving.error && <ErrorNotice error={saving.error} tried="save the webhook" />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isComplete(draft) || saving.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}
