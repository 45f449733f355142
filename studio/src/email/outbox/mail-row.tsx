import { Status, Time } from '../../ui/status';
import { isScheduled, type Row } from '../mails';
import { NO_SUBJECT, undeliveredReason, wordOfMail, written, writtenBriefly } from '../words';

/** A mail in the list: state, recipients, subject, and why it failed, or what it waits for. */
export function MailRow({ mail }: { mail: Row }) {
  const { status, to, subject, lastError, createdAt, sendAt } = mail;
  const word = wordOfMail(mail);
  const reason = lastError && undeliveredReason(lastError, to?.length === 1 ? to[0]?.address : undefined);
  return (
    <span className="mail-row">
      <span className="mail-status">{word && <Status {...word} />}</span>
      <span className="mail-to truncate" title={to?.map(written).join(', ')}>
        {writtenBriefly(to)}
      </span>
      <span className="mail-subject">
        <span className="truncate">{subject || <span className="muted">{NO_SUBJECT}</span>}</span>
        {isScheduled(mail) && (
          <span className="mail-send-at muted">
            Sends <Time at={sendAt!} />
          </span>
        )}
        {reason && (
          <span className={status === 'QUEUED' ? 'mail-reason wait truncate' : 'mail-reason truncate'} title={reason}>
            {reason}
          </span>
        )}
      </span>
      <span className="mail-time">{createdAt && <Time at={createdAt} />}</span>
    </span>
  );
}
