import { CopyButton } from '../../ui/copy';
import { InheritedMark, InheritedNotice } from '../../ui/inherited';
import { Detail, Facts } from '../../ui/page';
import { Status, Time } from '../../ui/status';
import { capital } from '../../ui/faults';
import { DOMAIN_WORDS } from '../words';
import { DomainActions } from './domain-actions';
import { DomainRecords } from './domain-records';
import { type Domain, isRotating } from './use-domains';
import styles from '../email.module.css';

/** A domain: whether it can send, and its DNS records. */
export function DomainDetail({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { status, inherited, checkedAt, nextCheckAt, createdAt, verifiedAt } = domain;
  const name = domain.domain ?? '';
  return (
    <Detail
      title={name}
      onClose={onClose}
      of={{ json: domain, request: { service: 'email', operation: 'emailDomains', variables: {} } }}
    >
      <div className="row wrap">
        {status && <Status {...DOMAIN_WORDS[status]} />}
        {inherited && <InheritedMark />}
        <CopyButton text={name} label="Copy domain" />
      </div>
      <p className={`muted ${styles.about}`}>{aboutOf(domain)}</p>
      {inherited ? <InheritedNotice word="domain" name={name} /> : <DomainActions domain={domain} onDeleted={onClose} />}
      <Missing domain={domain} />
      {isRotating(domain) && (
        <p className="notice wait">
          Add the DKIM records of the new keys. The current keys keep signing until the new RSA record is found.
        </p>
      )}
      <DomainRecords domain={domain} />
      <Facts
        of={[
          ['Checked', checkedAt ? <Time key="checked" at={checkedAt} /> : 'Not yet'],
          [
            'Next check',
            nextCheckAt ? <Time key="next" at={nextCheckAt} /> : inherited ? undefined : 'When you select Check now',
          ],
          ['Verified', verifiedAt ? <Time key="verified" at={verifiedAt} /> : undefined],
          ['Created', createdAt && <Time key="created" at={createdAt} />],
        ]}
      />
    </Detail>
  );
}

function aboutOf({ status }: Domain): string {
  if (status === 'VERIFIED') return 'You can send from any address on this domain. Emails are signed with DKIM.';
  if (status === 'FAILED')
    return 'A required record has been missing for 3 days. You can’t send from this domain until the record is found again.';
  return 'Add these records at your DNS provider. Once the required records are found, you can send from any address on this domain.';
}

/** Returns required records that the latest check did not find. */
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
          <span className="muted small">If a record stays missing for 3 days, you can’t send from this domain.</span>
        )}
      </div>
    </div>
  );
}
