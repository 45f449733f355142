import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/controls';
import { formatCount } from '../../ui/format';
import { CopyButton } from '../../ui/copy';
import { Status, Time } from '../../ui/status';
import type { Bounce, Recipient } from '../mails';
import { segmentOf } from '../suppressions/use-suppressions';
import { BOUNCE_WORDS, RECIPIENT_WORDS, SCHEDULED, SUPPRESSION_WORDS, undeliveredReason, wordOf } from '../words';
import styles from '../email.module.css';

const FEW = 5;

/** Sorts recipients with a problem first, then pending ones, then by their order in the mail. */
const rankOf = ({ status, bounce }: Recipient): number => (status === 'FAILED' || bounce ? 0 : status === 'QUEUED' ? 1 : 2);

/** All recipients of the mail, each with its state. */
export function MailRecipients({ recipients, isScheduled }: { recipients: readonly Recipient[]; isScheduled: boolean }) {
  const [isAll, setAll] = useState(false);
  const worstFirst = useMemo(() => [...recipients].sort((a, b) => rankOf(a) - rankOf(b)), [recipients]);
  const shown = isAll ? worstFirst : worstFirst.slice(0, FEW);
  return (
    <section className="stack tight">
      <h3>{recipients.length === 1 ? 'Recipient' : `${formatCount(recipients.length)} recipients`}</h3>
      <ul className={styles.recipients}>
        {shown.map((recipient) => (
          <RecipientLine key={recipient.address} recipient={recipient} isScheduled={isScheduled} />
        ))}
      </ul>
      {recipients.length > FEW && (
        <span>
          <Button size="small" look="plain" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer' : `Show all ${formatCount(recipients.length)}`}
          </Button>
        </span>
      )}
    </section>
  );
}

function RecipientLine({ recipient, isScheduled }: { recipient: Recipient; isScheduled: boolean }) {
  const { kind, address, name, status, attempts, lastError, bounce, suppressed } = recipient;
  return (
    <li>
      <span className={`${styles.kind} muted`}>{kind && RECIPIENT_WORDS[kind]}</span>
      <span className={styles.recipient}>
        {name && <strong className="break">{name}</strong>}
        <span className="row copy-text">
          <span className="truncate" title={address ?? ''}>
            {address}
          </span>
          <CopyButton text={address ?? ''} label={`Copy ${address}`} />
        </span>
      </span>
      {status && <Status {...(isScheduled ? SCHEDULED : wordOf(status, lastError))} />}
      {(lastError || (attempts ?? 0) > 1) && (
        <span className={`${styles.why} small`}>
          {suppressed ? (
            <Link href={`/suppressions/${segmentOf(address ?? '')}`}>
              Suppressed: {SUPPRESSION_WORDS[suppressed].word.toLowerCase()}
            </Link>
          ) : (
            lastError && <span className="break">{undeliveredReason(lastError, address)}</span>
          )}
          <span className="muted">
            {lastError && ' · '}
            {triesOf(attempts ?? 0)}
          </span>
        </span>
      )}
      {bounce?.kind && <BounceOf bounce={bounce} />}
    </li>
  );
}

function triesOf(attempts: number): string {
  if (attempts === 0) return 'Not tried';
  return attempts === 1 ? 'Tried once' : `Tried ${formatCount(attempts)} times`;
}

/** Report on a recipient after the mail was sent. */
function BounceOf({ bounce: { kind, code, at, diagnostic } }: { bounce: Bounce }) {
  const { about, ...status } = BOUNCE_WORDS[kind!];
  return (
    <span className={`${styles.why} ${styles.bounce} small`}>
      <span className="row wrap">
        <Status {...status} />
        {code && <code>{code}</code>}
        <span className="muted">{at && <Time at={at} />}</span>
      </span>
      <span>{about}</span>
      {diagnostic && <span className="muted break">{diagnostic}</span>}
    </span>
  );
}
