import type { Column } from '../../ui/records';
import { Status, Time } from '../../ui/status';
import { isScheduled, type Row } from '../mails';
import { NO_SUBJECT, undeliveredReason, wordOfMail, written, writtenBriefly } from '../words';

/** A mail in the list: state, recipients, subject with the reason why it failed, and when. */
export const MAIL_COLUMNS: readonly Column<Row>[] = [
  {
    word: 'Status',
    width: 96,
    sortBy: (mail) => wordOfMail(mail)?.word ?? '',
    cell: (mail) => {
      const word = wordOfMail(mail);
      return word && <Status {...word} />;
    },
  },
  {
    word: 'To',
    share: 1,
    sortBy: ({ to }) => writtenBriefly(to),
    cell: ({ to }) => (
      <span className="truncate" title={to?.map(written).join(', ')}>
        {writtenBriefly(to)}
      </span>
    ),
  },
  {
    word: 'Subject',
    share: 3,
    room: 'second-line',
    sortBy: ({ subject }) => subject ?? '',
    cell: ({ subject, lastError, status, to }) => {
      const whole = lastError && undeliveredReason(lastError, to?.length === 1 ? to[0]?.address : undefined);
      const reason = whole && whole.replace(/^The mail server responded: /, '');
      return (
        <>
          <span className="truncate">{subject || <span className="muted">{NO_SUBJECT}</span>}</span>
          {reason && (
            <span className={status === 'QUEUED' ? 'cell-reason wait truncate' : 'cell-reason truncate'} title={whole}>
              {reason}
            </span>
          )}
        </>
      );
    },
  },
  {
    word: 'Time',
    width: 112,
    isNumber: true,
    sortBy: (mail) => (isScheduled(mail) ? mail.sendAt : mail.createdAt) ?? '',
    served: 'both',
    cell: (mail) =>
      isScheduled(mail) ? (
        <span className="muted">
          Sends <Time at={mail.sendAt!} />
        </span>
      ) : (
        mail.createdAt && <Time at={mail.createdAt} />
      ),
  },
];
