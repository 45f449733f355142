import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context';
import { SelectField } from '../../ui/fields';
import { FormDialog } from '../../ui/form-dialog';
import { useReadAgain, useSources } from '../model/reads';
import { SOURCES } from '../model/sources';
import { doorOf, type Source } from '../model/webhook';
import { isComplete, WebhookFields } from './webhook-fields';

const EMPTY = { url: '', events: [], description: '' };

interface NewWebhookProps {
  onClose: () => void;
  /** Receives the path of the webhook on this page, and its secret. */
  onCreated: (path: string, secret: string) => void;
}

/** Creates a webhook in one of the services. */
export function NewWebhook({ onClose, onCreated }: NewWebhookProps) {
  const api = useApi();
  const readAgain = useReadAgain();
  const sources = useSources('mutation', 'createWebhook');
  const [source, setSource] = useState<Source>(sources[0]!);
  const [draft, setDraft] = useState<{ url: string; events: readonly string[]; description: string }>(EMPTY);
  const creating = useMutation({
    mutationFn: () => {
      const { url, events, description } = draft;
      return doorOf(api, source).createWebhook({ input: { url, events, description: description || null } });
    },
    onSuccess: ({ webhook, secret }) => {
      onCreated(`/${source}/${webhook!.id}`, secret!);
      void readAgain();
    },
  });
  const choose = (next: Source) => {
    setSource(next);
    setDraft({ ...draft, events: [] });
  };
  return (
    <FormDialog
      title="New webhook"
      action="Create webhook"
      tried="create the webhook"
      sending={creating}
      isReady={isComplete(draft)}
      isAwaited
      onSend={creating.mutate}
      onClose={onClose}
    >
      <SelectField
        label="Service"
        words={sources.map((one) => [one, SOURCES[one].word] as const)}
        value={source}
        onChange={choose}
      />
      <WebhookFields source={source} draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
