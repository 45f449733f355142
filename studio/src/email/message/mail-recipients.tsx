import { formatCount } from '../../ui/format';
import { CopyButton } from '../../ui/copy';
import { Status, Time } from '../../ui/status';
import type { Bounce, Recipient } from '../mails';
import { BOUNCE_WORDS, RECIPIENT_WORDS, undeliveredReason, wordOf } from '../words';

/** Everybody whom the mail goes to, with the state for each. */
export function MailRecipients({ recipients }: { recipients: readonly Recipient[] }) {
  return (
    <section className="stack tight">
      <h3>{recipients.length === 1 ? 'Recipient' : `${formatCount(recipients.length)} recipients`}</h3>
      <ul className="mail-recipients">
        {recipients.map((recipient) => (
          <RecipientLine key={recipient.address} recipient={recipient} />
        ))}
      </ul>
    </section>
  );
}

function RecipientLine({ recipient }: { recipient: Recipient }) {
  const { kind, address, name, status, attempts, lastError, bounce } = recipient;
  const tries = attempts ?? 0;
  return (
    <li>
      <span className="mail-kind muted">{kind && RECIPIENT_WORDS[kind]}</span>
      <span className="mail-recipient">
        {name && <strong className="break">{name}</strong>}
        <span className="row copy-text">
          <span className="truncate" title={address ?? ''}>
            {address}
          </span>
          <CopyButton text={address ?? ''} label={`Copy ${address}`} />
        </span>
      </span>
      {status && <Status {...wordOf(status, lastError)} />}
      {(lastError || tries > 1) && (
        <span className="mail-why small">
          {lastError && <span className="break">{undeliveredReason(lastError, address)}</span>}
          <span className="muted">
            {lastError && ' · '}
            {tries === 1 ? 'Tried once' : `Tried ${formatCount(tries)} times`}
          </span>
        </span>
      )}
      {bounce?.kind && <BounceOf bounce={bounce} />}
    </li>
  );
}

/** What was reported on a recipient after the mail was sent. */
function BounceOf({ bounce: { kind, code, at, diagnostic } }: { bounce: Bounce }) {
  const { about, ...status } = BOUNCE_WORDS[kind!];
  return (
    <span className="mail-why mail-bounce small">
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
