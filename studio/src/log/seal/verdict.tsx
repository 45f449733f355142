import { CheckCircledIcon, CrossCircledIcon } from '@radix-ui/react-icons';
import { Link } from 'wouter';
import { plural } from '../../ui/format';
import type { Verified } from '../seals/verify-all';

/** Result of a verification, in words. */
export function Verdict({ verified, isRange = false }: { verified: Verified; isRange?: boolean }) {
  const { isValid, records, blocks, erased, removed, unsealed, brokenLogId, brokenBlock, reason } = verified;
  if (!isValid) {
    return (
      <div className="notice bad" role="alert">
        <CrossCircledIcon aria-hidden />
        <div className="stack tight grow">
          <strong>{brokenLogId ? 'A record was tampered with.' : `Block ${brokenBlock ?? ''} was tampered with.`}</strong>
          <span className="break">{reason}</span>
          {brokenLogId && (
            <Link href={`/${brokenLogId}`} className="break">
              Show record {brokenLogId}
            </Link>
          )}
        </div>
      </div>
    );
  }
  const rest = [
    erased > 0 && `${plural(erased, 'record was', 'records were')} erased. The erasure is sealed`,
    removed > 0 && `${plural(removed, 'record was', 'records were')} removed by retention`,
    unsealed > 0 && `${plural(unsealed, 'record is', 'records are')} not sealed yet`,
  ].filter(Boolean);
  return (
    <div className="notice good" role="status">
      <CheckCircledIcon aria-hidden />
      <div className="stack tight">
        <strong>
          Verified: {plural(records, 'record')} in {plural(blocks, 'block')} {records === 1 ? 'is' : 'are'} intact
          {isRange && ' in this range'}.
        </strong>
        {rest.map((sentence) => (
          <span key={String(sentence)}>{sentence}.</span>
        ))}
      </div>
    </div>
  );
}
