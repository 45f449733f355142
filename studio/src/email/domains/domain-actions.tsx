import { RateLimitedError } from '../../../../clients/js/src/errors';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { MAY_CHECK_DOMAIN, MAY_DELETE_DOMAIN, MAY_ROTATE_DOMAIN } from '../mails';
import { type Domain, DOMAINS, isRotating } from './use-domains';

/** Actions on a domain. */
export function DomainActions({ domain, onDeleted }: { domain: Domain; onDeleted: () => void }) {
  const name = domain.domain ?? '';
  const checking = useAction(({ email }) => email.checkEmailDomain({ domain: name }), {
    done: 'DNS records checked',
    again: DOMAINS,
  });
  const rotating = useAction(({ email }) => email.rotateEmailDomainKeys({ domain: name }), {
    done: 'DKIM keys rotated',
    again: DOMAINS,
  });
  const deleting = useAction(({ email }) => email.deleteEmailDomain({ domain: name }), {
    done: 'Domain deleted',
    again: DOMAINS,
    onDone: onDeleted,
  });
  return (
    <>
      <div className="row wrap">
        <Button size="small" right={MAY_CHECK_DOMAIN} disabled={checking.isPending} onClick={() => checking.mutate()}>
          {checking.isPending ? 'Checking…' : 'Check now'}
        </Button>
        <ConfirmButton
          word="Rotate keys"
          size="small"
          look={undefined}
          right={MAY_ROTATE_DOMAIN}
          refusal={whyNotRotate(domain)}
          title={`Rotate the keys of ${name}?`}
          action="Rotate keys"
          onConfirm={() => rotating.mutateAsync()}
        >
          You get new DKIM records to add. The current keys keep signing until the new RSA record is found. Keep the old records
          for 7 more days.
        </ConfirmButton>
        <ConfirmButton
          word="Delete"
          size="small"
          right={MAY_DELETE_DOMAIN}
          title={`Delete ${name}?`}
          action="Delete domain"
          onConfirm={() => deleting.mutateAsync()}
        >
          You can no longer send from this domain. Queued emails are still sent. The DKIM keys are deleted: adding the domain
          again creates new records.
        </ConfirmButton>
      </div>
      {checking.error && <CheckFault error={checking.error} />}
    </>
  );
}

function whyNotRotate(domain: Domain): string | undefined {
  if (domain.status !== 'VERIFIED') return 'Verify the domain first';
  return isRotating(domain) ? 'New keys are already waiting for their DKIM records' : undefined;
}

function CheckFault({ error }: { error: unknown }) {
  if (!(error instanceof RateLimitedError)) return <ErrorNotice error={error} tried="check the records" />;
  return (
    <p className="notice wait" role="status">
      The records were just checked. Wait 10 seconds, then check again.
    </p>
  );
}
