import { ChevronRightIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Checkbox } from '../../ui/fields';
import type { Draft } from '../model/save';
import { SOURCES, typeOf } from '../model/sources';
import type { Source } from '../model/webhook';
import styles from '../webhooks.module.css';

interface EventsProps {
  sources: readonly Source[];
  events: Draft['events'];
  onChange: (events: Draft['events']) => void;
}

/** Events of each service, which are ticked one by one or as a whole. */
export function EventsField({ sources, events, onChange }: EventsProps) {
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
