import { CopyText, Snippet } from '../../ui/copy';
import { formatCount } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { DELIVERY_WORDS } from '../model/health';
import type { Delivery } from '../model/webhook';
import styles from '../webhooks.module.css';

/** A delivery in full: its state, the request and the response. */
export function DeliveryFacts({ delivery }: { delivery: Delivery }) {
  const { id, type, subject, status, createdAt, attempts, attemptedAt, nextAttemptAt, responseStatus, durationMs } = delivery;
  const { answer, body, lastError } = delivery;
  return (
    <div className={`stack ${styles.delivery}`}>
      <div className="row wrap">
        {status && <Status {...DELIVERY_WORDS[status]} />}
        <code>{type}</code>
      </div>
      {lastError && status !== 'DELIVERED' && <div className="notice bad break">{lastError}</div>}
      <Facts
        of={[
          ['Response', responseStatus ?? null],
          ['Duration', durationMs === null ? undefined : `${formatCount(durationMs)} ms`],
          ['Attempts', attempts],
          ['Last attempt', attemptedAt ? <Time key="last" at={attemptedAt} /> : undefined],
          ['Next attempt', nextAttemptAt ? <Time key="next" at={nextAttemptAt} /> : undefined],
          ['Occurred', createdAt && <Time key="at" at={createdAt} />],
          ['Subject', subject ? <CopyText key="subject" text={subject} label="Copy subject" /> : undefined],
          ['Event ID', id ? <CopyText key="id" text={id} label="Copy event ID" /> : undefined],
        ]}
      />
      <section className="stack tight">
        <h3>Request body</h3>
        <Snippet label="request body" code={pretty(body ?? '')} />
      </section>
      <section className="stack tight">
        <h3>Response body</h3>
        {answer ? <Snippet label="response body" code={answer} /> : <p className="muted small">Empty</p>}
      </section>
    </div>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
