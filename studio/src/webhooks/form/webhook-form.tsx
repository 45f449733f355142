import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useReadAgain, useSources } from '../model/reads';
import { type Created, draftOf, isComplete, removedBy, saveHooks } from '../model/save';
import { SOURCES } from '../model/sources';
import type { Hook } from '../model/webhook';
import { EventsField } from './events-field';

interface FormProps {
  /** Webhooks of one URL; none to create them. */
  hooks: readonly Hook[];
  onClose: () => void;
  onCreated: (created: Created) => void;
  onSaved?: (first: Hook | undefined) => void;
}

/** Form of a URL and the events of all services that it receives. Each service has a webhook of its own, kept in step. */
export function WebhookForm({ hooks, onClose, onCreated, onSaved = onClose }: FormProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const mayCreate = useSources('mutation', 'createWebhook');
  const sources = [...new Set([...hooks.map(({ source }) => source), ...mayCreate])];
  const [known] = useState(() => [...hooks]);
  const [draft, setDraft] = useState(() => draftOf(hooks));
  const isNew = hooks.length === 0;
  const saving = useMutation({
    meta: { done: isNew ? undefined : 'Webhook saved' },
    mutationFn: () => saveHooks(api, known, draft, onCreated),
    onSuccess: () => onSaved(known[0]),
    onSettled: readAgain,
  });
  const removed = removedBy(hooks, draft);
  return (
    <FormDialog
      title={isNew ? 'New webhook' : 'Edit webhook'}
      action={isNew ? 'Create webhook' : 'Save'}
      tried={isNew ? 'create the webhook' : 'save the webhook'}
      sending={saving}
      isReady={isComplete(draft)}
      isAwaited
      onSend={saving.mutate}
      onClose={onClose}
    >
      <TextField
        label="URL"
        hint="An https URL that responds within 15 seconds, or poll: to fetch events yourself."
        placeholder="https://example.com/webhooks"
        required
        maxLength={2_000}
        autoComplete="off"
        spellCheck={false}
        value={draft.url}
        onChange={(url) => setDraft({ ...draft, url: url.trim() })}
      />
      <EventsField sources={sources} events={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
      <TextField
        label="Description"
        hint="Optional. Visible in Studio only."
        maxLength={256}
        autoComplete="off"
        value={draft.description}
        onChange={(description) => setDraft({ ...draft, description })}
      />
      {removed.length > 0 && isComplete(draft) && (
        <div className="notice wait">
          <span>
            Saving deletes the webhook of {removed.map(({ source }) => SOURCES[source].word).join(', ')}, with its pending events
            and deliveries.
          </span>
        </div>
      )}
    </FormDialog>
  );
}
