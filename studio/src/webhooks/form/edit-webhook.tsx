import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { FormDialog } from '../../ui/form-dialog';
import { useReadAgain } from '../model/reads';
import { doorOf, type Hook } from '../model/webhook';
import { type Draft, isComplete, WebhookFields } from './webhook-fields';

/** Form that changes URL, events and description of a webhook. */
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
  return (
    <FormDialog
      title="Edit webhook"
      action="Save"
      tried="save the webhook"
      sending={saving}
      isReady={isComplete(draft)}
      onSend={saving.mutate}
      onClose={onClose}
    >
      <WebhookFields source={source} draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
