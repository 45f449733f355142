import { ChevronRightIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';
import { useSources } from '../model/reads';
import { type Created, type Draft, draftOf, isComplete, removedBy, saveHooks } from '../model/save';
import { SOURCES, typeOf } from '../model/sources';
import { type Hook, type Source, WEBHOOKS } from '../model/webhook';
import { Checkbox } from '../../ui/fields';
import styles from '../webhooks.module.css';

interface FormProps {
  /** Webhooks of one URL; none to create them. */
  hooks: readonly Hook[];
  onClose: () => void;
  onCreated: (created: Created) => void;
  onSaved?: (first: Hook | undefined) => void;
}

/** Form of a URL and the events of all services that it receives. Each service has a webhook of its own, kept in step. */
export function WebhookForm({ hooks, onClose, onCreated, onSaved = onClose }: FormProps) {
  const mayCreate = useSources('mutation', 'createWebhook');
  const sources = [...new Set([...hooks.map(({ source }) => source), ...mayCreate])];
  const [known] = useState(() => [...hooks]);
  const isNew = hooks.length === 0;
  const form = useForm({
    first: () => draftOf(hooks),
    send: (draft, api) => saveHooks(api, known, draft, onCreated),
    done: isNew ? undefined : 'Webhook saved',
    again: WEBHOOKS,
    onDone: () => onSaved(known[0]),
  });
  const removed = removedBy(hooks, form.values);
  return (
    <FormDialog
      form={form}
      title={isNew ? 'New webhook' : 'Edit webhook'}
      action={isNew ? 'Create webhook' : 'Save'}
      tried={isNew ? 'create the webhook' : 'save the webhook'}
      isReady={isComplete(form.values)}
      isAwaited
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
        {...form.field('url')}
        onChange={(url) => form.set({ url: url.trim() })}
      />
      <EventsField sources={sources} events={form.values.events} onChange={(events) => form.set({ events })} />
      <TextField
        label="Description"
        hint="Optional. Visible in Studio only."
        maxLength={256}
        autoComplete="off"
        {...form.field('description')}
      />
      {removed.length > 0 && isComplete(form.values) && (
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

interface EventsProps {
  sources: readonly Source[];
  events: Draft['events'];
  onChange: (events: Draft['events']) => void;
}

/** Events of each service, which are ticked one by one or as a whole. */
function EventsField({ sources, events, onChange }: EventsProps) {
  const [first] = useState(events);
  return (
    <fieldset className={styles.events}>
      <legend className="label">Events</legend>
      {sources.map((source) => {
        const all = Object.keys(SOURCES[source].events);
        const ticked = events[source] ?? [];
        const set = (next: readonly string[]) => onChange({ ...events, [source]: all.filter((event) => next.includes(event)) });
        return (
          // Services with events start open.
          <details key={source} open={Boolean(first[source]?.length) || sources.length === 1} className={styles.service}>
            <summary>
              <ChevronRightIcon aria-hidden />
              <span className="grow">{SOURCES[source].word}</span>
              <span className="small muted">
                {ticked.length} of {all.length}
              </span>
            </summary>
            <label className={styles.event}>
              <Checkbox checked={ticked.length === all.length} onChange={(isTicked) => set(isTicked ? all : [])} />
              <span>All events of {SOURCES[source].word}</span>
            </label>
            {Object.entries(SOURCES[source].events).map(([event, about]) => (
              <label key={event} className={styles.event}>
                <Checkbox
                  checked={ticked.includes(event)}
                  onChange={(isTicked) => set(isTicked ? [...ticked, event] : ticked.filter((one) => one !== event))}
                />
                <span>
                  <code>{typeOf(event)}</code>
                  <span className="muted small">{about}</span>
                </span>
              </label>
            ))}
          </details>
        );
      })}
    </fieldset>
  );
}
