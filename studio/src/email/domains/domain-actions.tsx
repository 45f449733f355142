import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { RateLimitedError } from '../../../../clients/js/src/errors';
import { useApi, useRefusal } from '../../api/api-context';
import { Button, Confirm } from '../../ui/controls';
import { ErrorNotice } from '../../ui/states';
import { MAY_CHECK_DOMAIN, MAY_DELETE_DOMAIN, MAY_ROTATE_DOMAIN } from '../mails';
import { type Domain, isRotating, useReadAgain } from './use-domains';

/** Actions on a domain. */
export function DomainActions({ domain, onDeleted }: { domain: Domain; onDeleted: () => void }) {
  const { email } = useApi();
  const readAgain = useReadAgain();
  const [open, setOpen] = useState<'rotate' | 'delete'>();
  const close = () => setOpen(undefined);
  const cannotCheck = useRefusal(MAY_CHECK_DOMAIN);
  const cannotRotate = useRefusal(MAY_ROTATE_DOMAIN);
  const cannotDelete = useRefusal(MAY_DELETE_DOMAIN);
  const name = domain.domain ?? '';
  const checking = useMutation({
    meta: { done: 'DNS records checked' },
    mutationFn: () => email.checkEmailDomain({ domain: name }),
    onSettled: readAgain,
  });
  const rotating = useMutation({
    meta: { done: 'DKIM keys rotated' },
    mutationFn: () => email.rotateEmailDomainKeys({ domain: name }),
    onSettled: readAgain,
  });
  const deleting = useMutation({
    meta: { done: 'Domain deleted' },
    mutationFn: () => email.deleteEmailDomain({ domain: name }),
    onSuccess: () => {
      onDeleted();
      void readAgain();
    },
  });
  return (
    <>
      <div className="row wrap">
        <Button size="small" refusal={cannotCheck} disabled={checking.isPending} onClick={() => checking.mutate()}>
          {checking.isPending ? 'Checking…' : 'Check now'}
        </Button>
        <Button size="small" refusal={cannotRotate ?? whyNotRotate(domain)} onClick={() => setOpen('rotate')}>
          Rotate keys
        </Button>
        <Button size="small" look="danger" refusal={cannotDelete} onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {checking.error && <CheckFault error={checking.error} />}
      {rotating.error && <ErrorNotice error={rotating.error} tried="rotate the keys" />}
      {deleting.error && <ErrorNotice error={deleting.error} tried={`delete ${name}`} />}
      <Confirm
        title={`Rotate the keys of ${name}?`}
        action="Rotate keys"
        isOpen={open === 'rotate'}
        onClose={close}
        onConfirm={() => rotating.mutateAsync()}
      >
        You get new DKIM records to add. The current keys keep signing until the new RSA record is found. Keep the old records for
        7 more days.
      </Confirm>
      <Confirm
        title={`Delete ${name}?`}
        action="Delete domain"
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => deleting.mutateAsync()}
      >
        You can no longer send from this domain. Queued emails are still sent. The DKIM keys are deleted: adding the domain again
        creates new records.
      </Confirm>
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
