import { Status, Time } from '../../ui/status';
import type { Row } from '../mails';
import { NO_SUBJECT, undeliveredReason, wordOf, written, writtenBriefly } from '../words';

/** A mail in the list: state, recipients, subject, and why it failed or waits. */
export function MailRow({ mail: { status, to, subject, lastError, createdAt } }: { mail: Row }) {
  const reason = lastError && undeliveredReason(lastError, to?.length === 1 ? to[0]?.address : undefined);
  return (
    <span className="mail-row">
      <span className="mail-status">{status && <Status {...wordOf(status, lastError)} />}</span>
      <span className="mail-to truncate" title={to?.map(written).join(', ')}>
        {writtenBriefly(to)}
      </span>
      <span className="mail-subject">
        <span className="truncate">{subject || <span className="muted">{NO_SUBJECT}</span>}</span>
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
