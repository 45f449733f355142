import { formatCount, formatTime, plural } from '../../ui/format';
import { Time } from '../../ui/status';
import { isScheduled, type Mail, type Recipient } from '../mails';
import { BOUNCE_WORDS, undeliveredReason, wordOf } from '../words';
import styles from '../email.module.css';

const GIVEN_UP_MS = 24 * 3_600_000;

interface Step {
  key: string;
  kind: 'good' | 'wait' | 'bad' | 'none';
  what: string;
  /** Reply of the mail server. */
  said?: string | undefined;
  at?: string | null;
}

/** History of a mail. The service stores the times of acceptance and sending, and the number of attempts. */
export function MailHistory({ mail }: { mail: Mail }) {
  return (
    <section className="stack tight">
      <h3>History</h3>
      <ol className="timeline">
        {stepsOf(mail).map(({ key, kind, what, said, at }) => (
          <li key={key} className={kind}>
            {what}
            {at && (
              <span className="muted">
                {' '}
                · <Time at={at} />
              </span>
            )}
            {said && <span className={`${styles.said} break`}>{said}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf(mail: Mail): Step[] {
  const { attempts, createdAt, lastError, recipients, sendAt, sentAt } = mail;
  const count = (wanted: string) => recipients?.filter(({ status }) => status === wanted).length ?? 0;
  const [all, sent, failed, waiting] = [recipients?.length ?? 0, count('SENT'), count('FAILED'), count('QUEUED')];
  const of = (some: number) => (some === all ? '' : ` for ${plural(some, 'recipient')}`);
  const isCancelled = recipients?.some((one) => one.status === 'FAILED' && wordOf('FAILED', one.lastError).word === 'Cancelled');
  const gaveUpAt = formatTime(new Date(new Date(sendAt ?? createdAt ?? 0).getTime() + GIVEN_UP_MS));
  const steps: (Step | false)[] = [
    { key: 'accepted', kind: 'good', what: 'Accepted', at: createdAt },
    Boolean(attempts) && {
      key: 'attempts',
      kind: lastError ? 'wait' : 'good',
      what: plural(attempts!, 'delivery attempt'),
      // With several recipients, each has its reason above.
      said: lastError && all === 1 ? undeliveredReason(lastError, recipients?.[0]?.address) : undefined,
    },
    sent > 0 && {
      key: 'sent',
      kind: 'good',
      what: sent === all ? 'Sent' : `Sent to ${formatCount(sent)} of ${plural(all, 'recipient')}`,
      at: sentAt,
    },
    failed > 0 && {
      key: 'failed',
      kind: isCancelled ? 'none' : 'bad',
      what: `${isCancelled ? 'Cancelled' : 'Failed'}${of(failed)}`,
    },
    waiting > 0 && {
      key: 'waiting',
      kind: 'wait',
      what: attempts
        ? `Retrying${of(waiting)} until ${gaveUpAt}`
        : isScheduled(mail)
          ? 'Scheduled'
          : 'Queued for the first attempt',
      ...(isScheduled(mail) && { at: sendAt }),
    },
    ...bounceSteps(recipients ?? []),
  ];
  return steps.filter((step) => step !== false);
}

/** Reports after the mail was sent, each kind once, with the time of the latest. */
function bounceSteps(recipients: readonly Recipient[]): Step[] {
  return Object.entries(BOUNCE_WORDS).flatMap(([kind, { kind: state, word }]): Step[] => {
    const bounces = recipients.flatMap(({ bounce }) => (bounce?.kind === kind ? [bounce] : []));
    if (bounces.length === 0) return [];
    const what = recipients.length === 1 ? word : `${word} for ${plural(bounces.length, 'recipient')}`;
    const at = bounces
      .map((bounce) => bounce.at ?? '')
      .sort()
      .at(-1);
    return [{ key: kind, kind: state === 'wait' ? 'wait' : 'bad', what, at: at || null }];
  });
}
