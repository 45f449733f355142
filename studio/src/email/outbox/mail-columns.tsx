import { textColumn } from '../../ui/columns';
import type { Column } from '../../ui/records';
import { Reason, Status, type StatusKind, Time } from '../../ui/status';
import { isScheduled, type Row } from '../mails';
import { NO_SUBJECT, undeliveredReason, wordOfMail, written, writtenBriefly } from '../words';

/** Returns why a mail has not reached its recipients. */
const reasonOf = ({ lastError, to }: Row): string =>
  lastError ? undeliveredReason(lastError, to?.length === 1 ? to[0]?.address : undefined) : '';

/** Kind of the reason: that of the state, red for a mail that reached some recipients only. */
const kindOf = (mail: Row): StatusKind => {
  const kind = wordOfMail(mail)?.kind;
  return kind === 'good' ? 'bad' : (kind ?? 'bad');
};

/** A mail in the list: state, recipients, subject with the reason why it failed, and when. */
export const MAIL_COLUMNS: readonly Column<Row>[] = [
  {
    word: 'Status',
    width: 96,
    line: 'state',
    sortBy: (mail) => wordOfMail(mail)?.word ?? '',
    cell: (mail) => {
      const word = wordOfMail(mail);
      return word && <Status {...word} />;
    },
  },
  {
    word: 'To',
    share: 3,
    line: 'who',
    sortBy: ({ to }) => writtenBriefly(to),
    cell: ({ to }) => (
      <span className="truncate" title={to?.map(written).join(', ')}>
        {writtenBriefly(to)}
      </span>
    ),
  },
  {
    word: 'Subject',
    share: 4,
    line: 'what',
    sortBy: ({ subject }) => subject ?? '',
    cell: (mail) => (
      <>
        <span className="truncate" dir="auto">
          {mail.subject || <span className="muted">{NO_SUBJECT}</span>}
        </span>
        <Reason kind={kindOf(mail)} text={reasonOf(mail)} isInline />
      </>
    ),
  },
  {
    word: 'Reason',
    share: 4,
    room: 'widest',
    sortBy: reasonOf,
    cell: (mail) => <Reason kind={kindOf(mail)} text={reasonOf(mail)} />,
  },
  textColumn('From', ({ from }) => from?.address, { share: 2, room: 'huge', isMuted: true }),
  {
    word: 'Attempts',
    width: 72,
    room: 'huge',
    isNumber: true,
    sortBy: ({ attempts }) => attempts ?? 0,
    cell: ({ attempts }) => <span className="muted">{attempts}</span>,
  },
  {
    word: 'Time',
    width: 112,
    line: 'when',
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
