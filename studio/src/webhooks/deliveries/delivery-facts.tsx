import type { ReactNode } from 'react';
import { CopyText, Snippet } from '../../ui/copy';
import { formatCount } from '../../ui/format';
import { Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { TableHead } from '../../ui/table-head';
import { deliveryState } from '../model/health';
import type { Attempt, Delivery } from '../model/webhook';
import styles from '../webhooks.module.css';

/** A delivery in full: its state, the attempts, the request and the response. */
export function DeliveryFacts({ delivery, action }: { delivery: Delivery; action?: ReactNode }) {
  const { id, type, subject, status, createdAt, attempts, attemptedAt, nextAttemptAt, responseStatus, durationMs } = delivery;
  const { answer, body, lastError, history } = delivery;
  return (
    <div className={`stack ${styles.delivery}`}>
      <div className="row wrap">
        <Status {...deliveryState(delivery)} />
        <code className="grow">{type}</code>
        {action}
      </div>
      {lastError && status !== 'DELIVERED' && <div className="notice bad break">{lastError}</div>}
      <Facts
        of={[
          ['Response', responseStatus ?? null],
          ['Duration', durationMs === null ? undefined : `${formatCount(durationMs)} ms`],
          ['Attempts', attempts],
          ['Last attempt', attemptedAt ? <Time key="last" at={attemptedAt} /> : undefined],
          ['Next attempt', nextAttemptAt ? nextOf(nextAttemptAt) : undefined],
          ['Occurred', createdAt && <Time key="at" at={createdAt} />],
          ['Subject', subject ? <CopyText key="subject" text={subject} label="Copy subject" /> : undefined],
          ['Event ID', id ? <CopyText key="id" text={id} label="Copy event ID" /> : undefined],
        ]}
      />
      {history && history.length > 0 && <Attempts of={history} />}
      <section className="stack tight">
        <h3>Request headers</h3>
        <Snippet label="request headers" code={headersOf(delivery)} />
        <p className="muted small">The signature is computed for each request, with each secret, and not stored.</p>
      </section>
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

/** Time of the next attempt; a due one waits for the pause of the webhook. */
const nextOf = (at: string): ReactNode =>
  new Date(at).getTime() > Date.now() ? <Time at={at} /> : 'Due, with the next attempt of the webhook';

/** Attempts, newest first. */
function Attempts({ of }: { of: readonly (Attempt | null)[] }) {
  const attempts = of.filter((attempt) => attempt !== null).toReversed();
  return (
    <section className="stack tight">
      <h3>Attempts</h3>
      <table className={styles.attempts}>
        <TableHead of={['Time', 'Response', 'Duration']} />
        <tbody>
          {attempts.map(({ at, responseStatus, durationMs, error }) => (
            <tr key={at}>
              <td>{at && <Time at={at} />}</td>
              <td className="break">{responseStatus ?? error}</td>
              <td className="muted">{durationMs === null ? '' : `${formatCount(durationMs)} ms`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Headers of the last request; of the next one before the first. */
function headersOf({ id, attemptedAt }: Delivery): string {
  const timestamp = attemptedAt ? Math.floor(new Date(attemptedAt).getTime() / 1_000) : '…';
  return [
    'content-type: application/cloudevents+json; charset=utf-8',
    `webhook-id: ${id}`,
    `webhook-timestamp: ${timestamp}`,
    'webhook-signature: v1,…',
  ].join('\n');
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
