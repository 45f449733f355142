import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../../../clients/js/src/generated/admin';
import { useApi, useRefusal } from '../api/api-context';
import { Button, Confirm } from '../ui/controls';
import { ErrorNotice, Skeleton } from '../ui/states';
import { Status, type StatusKind, Time } from '../ui/status';
import { usePages } from '../ui/use-pages';
import { CreateKeyDialog, RotateKeyDialog } from './key-dialogs';
import { describeScope } from './scope-words';

function stateOf({ revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>): { kind: StatusKind; word: string } {
  if (revokedAt) return { kind: 'none', word: 'Revoked' };
  if (!expiresAt) return { kind: 'good', word: 'Active' };
  return new Date(expiresAt).getTime() <= Date.now() ? { kind: 'none', word: 'Expired' } : { kind: 'good', word: 'Active' };
}

/** The keys of a tenant, also ended ones. */
export function TenantKeys({ tenantId }: { tenantId: string }) {
  const { admin } = useApi();
  const [isCreating, setCreating] = useState(false);
  const refusal = useRefusal(['admin', 'query', 'keys']);
  const cannotCreate = useRefusal(['admin', 'mutation', 'createKey']);
  const pages = usePages({
    queryKey: ['admin', 'keys', tenantId],
    read: (nextToken, signal) => admin.keys({ tenantId, nextToken: nextToken ?? null }, undefined, { signal }),
    isEnabled: !refusal,
  });
  if (refusal) return <p className="muted">{refusal}.</p>;
  if (pages.error) return <ErrorNotice error={pages.error} tried="load keys" onRetry={pages.readAgain} />;
  return (
    <div className="stack">
      <div>
        <Button refusal={cannotCreate} onClick={() => setCreating(true)}>
          New key
        </Button>
      </div>
      {pages.isPending && <Skeleton lines={4} label="Loading keys" />}
      {!pages.isPending && pages.items.length === 0 && <p className="muted">No keys yet. Send a key in the x-api-key header.</p>}
      <ul className="stack tight">
        {pages.items.map((key) => (
          <KeyCard key={key.id} of={key} />
        ))}
      </ul>
      {pages.hasMore && <Button onClick={pages.readMore}>Show more</Button>}
      {isCreating && <CreateKeyDialog tenantId={tenantId} onClose={() => setCreating(false)} />}
    </div>
  );
}

function KeyCard({ of }: { of: Pick<Key, 'id' | 'prefix' | 'scope' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'> }) {
  const { admin } = useApi();
  const queries = useQueryClient();
  const [open, setOpen] = useState<'rotate' | 'revoke'>();
  const cannotRotate = useRefusal(['admin', 'mutation', 'rotateKey']);
  const cannotRevoke = useRefusal(['admin', 'mutation', 'revokeKey']);
  const revoking = useMutation({
    mutationFn: () => admin.revokeKey({ id: of.id! }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['admin', 'keys'] }),
  });
  const state = stateOf(of);
  const close = () => setOpen(undefined);
  return (
    <li className="card key-card">
      <div className="row wrap">
        <code className="grow">{of.prefix}…</code>
        <Status {...state} />
      </div>
      <p className="small muted">{describeScope(of.scope ?? [])}</p>
      <p className="small muted row wrap">
        <span>Created {of.createdAt && <Time at={of.createdAt} />}</span>
        <span>{of.lastUsedAt ? <>Last used {<Time at={of.lastUsedAt} />}</> : 'Never used'}</span>
        {of.revokedAt ? (
          <span>
            Revoked <Time at={of.revokedAt} />
          </span>
        ) : (
          of.expiresAt && (
            <span>
              {' '}
              Expires <Time at={of.expiresAt} />
            </span>
          )
        )}
      </p>
      {state.word === 'Active' && (
        <div className="row">
          <Button size="small" refusal={cannotRotate} onClick={() => setOpen('rotate')}>
            Rotate
          </Button>
          <Button size="small" look="danger" refusal={cannotRevoke} onClick={() => setOpen('revoke')}>
            Revoke
          </Button>
        </div>
      )}
      {revoking.error && <ErrorNotice error={revoking.error} tried="revoke the key" />}
      <Confirm
        title={`Revoke ${of.prefix}…?`}
        action="Revoke key"
        isOpen={open === 'revoke'}
        onClose={close}
        onConfirm={() => revoking.mutateAsync()}
      >
        Requests with this key fail within 5 seconds. This can’t be undone.
      </Confirm>
      {open === 'rotate' && <RotateKeyDialog id={of.id!} prefix={of.prefix!} onClose={close} />}
    </li>
  );
}
