import { Status, Time } from '../../ui/status';
import { SUPPRESSION_WORDS } from '../words';
import type { Suppression } from './use-suppressions';

/** A suppression in the list: why, whom and which mails. */
export function SuppressionRow({ suppression: { address, reason, list, createdAt } }: { suppression: Suppression }) {
  const mails = wordOfList(list);
  return (
    <span className="mail-row sender">
      <span className="mail-status">{reason && <Status {...SUPPRESSION_WORDS[reason]} />}</span>
      <span className="mail-subject">
        <span className="truncate" title={address ?? ''}>
          {address}
        </span>
        <span className="mail-reason none truncate" title={mails}>
          {mails}
        </span>
      </span>
      <span className="mail-time">{createdAt && <Time at={createdAt} />}</span>
    </span>
  );
}

/** Which mails a suppression is of. */
export const wordOfList = (list: string | null): string => (list === null ? 'All mails' : `List ${list}`);
