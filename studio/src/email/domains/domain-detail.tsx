import { CopyButton } from '../../ui/copy';
import { Detail, Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { capital, DOMAIN_WORDS } from '../words';
import { DomainActions } from './domain-actions';
import { DomainRecords } from './domain-records';
import { type Domain, isRotating } from './use-domains';

/** A domain: whether mail can come from it, and the records that decide. */
export function DomainDetail({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { status, checkedAt, nextCheckAt, createdAt, verifiedAt } = domain;
  const name = domain.domain ?? '';
  return (
    <Detail title={name} onClose={onClose}>
      <div className="row wrap">
        {status && <Status {...DOMAIN_WORDS[status]} />}
        <CopyButton text={name} label="Copy the domain" />
      </div>
      <p className="muted mail-about">{aboutOf(domain)}</p>
      <DomainActions domain={domain} onDeleted={onClose} />
      <Missing domain={domain} />
      {isRotating(domain) && (
        <p className="notice wait">Set the records of the new keys. The current keys sign until a check finds that of RSA.</p>
      )}
      <DomainRecords domain={domain} />
      <Facts
        of={[
          ['Checked', checkedAt ? <Time key="checked" at={checkedAt} /> : 'Not yet'],
          ['Next check', nextCheckAt ? <Time key="next" at={nextCheckAt} /> : 'Only when you check'],
          ['Verified', verifiedAt ? <Time key="verified" at={verifiedAt} /> : undefined],
          ['Created', createdAt && <Time key="created" at={createdAt} />],
        ]}
      />
    </Detail>
  );
}

function aboutOf({ status }: Domain): string {
  if (status === 'VERIFIED') return 'Mail can come from any address of this domain, signed with DKIM.';
  if (status === 'FAILED')
    return 'A required record was missing for 3 days. Mail can’t come from this domain until it is found again.';
  return 'Set these records at your DNS provider. Once the required ones are found, mail can come from any address of this domain.';
}

/** Which needed records the latest check did not find. */
function Missing({ domain: { status, lastError } }: { domain: Domain }) {
  if (!lastError) return undefined;
  return (
    <div className={status === 'FAILED' ? 'notice bad' : 'notice wait'}>
      <div className="stack tight grow">
        <strong>The last check didn’t find every required record.</strong>
        {lastError.split('; ').map((fault) => (
          <span key={fault} className="break">
            {capital(fault)}
          </span>
        ))}
        {status === 'VERIFIED' && (
          <span className="muted small">If one stays missing for 3 days, mail can’t come from this domain any more.</span>
        )}
      </div>
    </div>
  );
}
