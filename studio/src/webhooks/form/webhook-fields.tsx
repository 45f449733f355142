import { TextField } from '../../ui/controls';
import { Checkbox } from '../../ui/fields';
import { SOURCES, typeOf } from '../model/sources';
import type { Source } from '../model/webhook';
import styles from '../webhooks.module.css';

/** Form values of a webhook. */
export interface Draft {
  url: string;
  events: readonly string[];
  description: string;
}

interface FieldsProps {
  source: Source;
  draft: Draft;
  onChange: (draft: Draft) => void;
}

/** URL, events and description of a webhook. */
export function WebhookFields({ source, draft, onChange }: FieldsProps) {
  const { url, events, description } = draft;
  const choices = SOURCES[source].events;
  const tick = (event: string, isTicked: boolean) =>
    onChange({ ...draft, events: Object.keys(choices).filter((one) => (one === event ? isTicked : events.includes(one))) });
  return (
    <>
      <TextField
        label="URL"
        hint="An https URL that responds within 15 seconds, or poll: to fetch events yourself."
        placeholder="https://example.com/webhooks"
        required
        maxLength={2_000}
        autoComplete="off"
        spellCheck={false}
        value={url}
        onChange={(next) => onChange({ ...draft, url: next.trim() })}
      />
      <fieldset className={styles.events}>
        <legend className="label">Events</legend>
        {Object.entries(choices).map(([event, about]) => (
          <label key={event} className={styles.event}>
            <Checkbox checked={events.includes(event)} onChange={(checked) => tick(event, checked)} />
            <span>
              <code>{typeOf(event)}</code>
              <span className="muted small">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <TextField
        label="Description"
        hint="Optional. Visible in Studio only."
        maxLength={256}
        autoComplete="off"
        value={description}
        onChange={(next) => onChange({ ...draft, description: next })}
      />
    </>
  );
}

export const isComplete = ({ url, events }: Draft): boolean => url !== '' && events.length > 0;
