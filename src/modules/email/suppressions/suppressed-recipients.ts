import { lowerAscii } from '../../../common/base/text.js';
import type { RecipientRow } from '../message-storage/email-row.js';
import { SuppressionReason } from '../models/suppression.model.js';
import { ALL_MAILS, type FoundSuppression } from './suppressions.queries.js';

/** Columns of a message that determine applicable suppressions. */
interface Suppressible {
  tenantId: string;
  list: string | null;
  ignoredReasons: string | null;
}

const GRAVEST_FIRST = Object.values(SuppressionReason);

/** Returns the most severe suppression reason of each suppressed recipient, by position. */
export function suppressedOf(
  { tenantId, list, ignoredReasons }: Suppressible,
  recipients: Pick<RecipientRow, 'position' | 'address'>[],
  found: FoundSuppression[],
): Map<number, SuppressionReason> {
  const ignored = ignoredReasons === null ? [] : (JSON.parse(ignoredReasons) as string[]);
  const counting = found.filter(
    (one) => one.tenantId === tenantId && [ALL_MAILS, list ?? ALL_MAILS].includes(one.list) && !ignored.includes(one.reason),
  );
  const suppressed = new Map<number, SuppressionReason>();
  if (counting.length === 0) return suppressed;
  for (const { position, address } of recipients) {
    const reasons = counting.filter((one) => one.address === lowerAscii(address)).map(({ reason }) => reason);
    const severest = GRAVEST_FIRST.find((reason) => reasons.includes(reason));
    if (severest) suppressed.set(position, severest);
  }
  return suppressed;
}
