import { Status, Time } from '../ui/status';
import { healthOf } from './model/health';
import { SOURCES, typeOf } from './model/sources';
import type { Hook } from './model/webhook';

/** A webhook in the list: its address and health, and below its service, events and last delivery. */
export function WebhookRow({ hook }: { hook: Hook }) {
  const { url, source, events, lastDeliveredAt, description } = hook;
  const { kind, word, reason } = healthOf(hook);
  const types = (events ?? []).map(typeOf).join(', ');
  return (
    <span className="webhook-row">
      <span className="row">
        <span className="grow truncate" title={description ?? url ?? undefined}>
          {url}
        </span>
        <Status kind={kind} word={word} />
      </span>
      <span className="row small muted">
        <span className="webhook-source">{SOURCES[source].word}</span>
        <span className="grow truncate" title={reason ?? types}>
          {reason ? <span className="webhook-reason">{reason}</span> : types}
        </span>
        <span className="webhook-time">
          {lastDeliveredAt ? (
            <>
              Last delivery <Time at={lastDeliveredAt} />
            </>
          ) : (
            'No deliveries yet'
          )}
        </span>
      </span>
    </span>
  );
}
