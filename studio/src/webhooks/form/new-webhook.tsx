import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../api/api-context';
import { Button, Field, Modal } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { useReadAgain, useSources } from '../model/reads';
import { SOURCES } from '../model/sources';
import { doorOf, type Source } from '../model/webhook';
import { isComplete, WebhookFields } from './webhook-fields';

const EMPTY = { url: '', events: [], description: '' };

interface NewWebhookProps {
  onClose: () => void;
  /** Gets the path of the webhook on this page, and its secret. */
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate();
  };
  const choose = (next: Source) => {
    setSource(next);
    setDraft({ ...draft, events: [] });
  };
  return (
    <Modal title="New webhook" isOpen isDismissible={!creating.isPending} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Service">
          {(ids) => (
            <select {...ids} className="input" value={source} onChange={({ target }) => choose(target.value as Source)}>
              {sources.map((one) => (
                <option key={one} value={one}>
                  {SOURCES[one].word}
                </option>
              ))}
            </select>
          )}
        </Field>
        <WebhookFields source={source} draft={draft} onChange={setDraft} />
        {creating.error && <ErrorNotice error={creating.error} tried="create the webhook" />}
        <div className="actions">
          <Button disabled={creating.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" disabled={!isComplete(draft) || creating.isPending}>
            Create webhook
          </Button>
        </div>
      </form>
    </Modal>
  );
}
