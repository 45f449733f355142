import { DotsHorizontalIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import type { Key } from '../../../../clients/js/src/generated/admin';
import { useRefusal } from '../../api/api-context';
import { useAction } from '../../api/use-action';
import { Confirm } from '../../ui/confirm';
import { ActionMenu, Button, IconButton } from '../../ui/controls';
import { copy } from '../../ui/copy';
import { plural } from '../../ui/format';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, type StatusKind, Time } from '../../ui/status';
import { toasts } from '../../ui/toasts';
import { usePages } from '../../ui/use-pages';
import { CreateKeyDialog, EditKeyDialog, RotateKeyDialog } from './key-dialogs';
import { describeScope } from './scope-words';
import styles from '../tenants.module.css';

type ShownKey = Pick<Key, 'id' | 'name' | 'prefix' | 'scope' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'>;

function stateOf({ revokedAt, expiresAt }: ShownKey): { kind: StatusKind; word: string } {
  if (revokedAt) return { kind: 'none', word: 'Revoked' };
  if (!expiresAt) return { kind: 'good', word: 'Active' };
  return new Date(expiresAt).getTime() <= Date.now() ? { kind: 'none', word: 'Expired' } : { kind: 'good', word: 'Active' };
}

const isActive = (key: ShownKey): boolean => stateOf(key).word === 'Active';

/** Keys of a tenant: active ones, newest first, and ended ones on request. */
export function TenantKeys({ tenantId, isDeleting }: { tenantId: string; isDeleting: boolean }) {
  const [isCreating, setCreating] = useState(false);
  const [showsEnded, setShowsEnded] = useState(false);
  const refusal = useRefusal(['admin', 'query', 'keys']);
  const pages = usePages({
    queryKey: ['admin', 'keys', tenantId],
    read: ({ admin }, nextToken, signal) => admin.keys({ tenantId, nextToken: nextToken ?? null }, undefined, { signal }),
    isEnabled: !refusal,
  });
  if (refusal) return <p className="muted">{refusal}.</p>;
  if (pages.error) return <ErrorNotice error={pages.error} tried="load keys" onRetry={pages.readAgain} />;
  const newest = pages.items.toReversed();
  const ended = newest.filter((key) => !isActive(key));
  return (
    <div className="stack">
      <div>
        <Button
          right={['admin', 'mutation', 'createKey']}
          refusal={isDeleting ? 'This tenant is being deleted' : undefined}
          onClick={() => setCreating(true)}
        >
          New key
        </Button>
      </div>
      {pages.isPending && <Skeleton lines={4} label="Loading keys" />}
      {!pages.isPending && pages.items.length === 0 && <p className="muted">No keys yet. Send a key in the x-api-key header.</p>}
      <ul className="stack tight" aria-label="Active keys">
        {newest.filter(isActive).map((key) => (
          <KeyCard key={key.id} of={key} />
        ))}
      </ul>
      {pages.hasMore && (
        <div>
          <Button onClick={pages.readMore}>Show more</Button>
        </div>
      )}
      {ended.length > 0 && (
        <div>
          <Button size="small" look="plain" aria-expanded={showsEnded} onClick={() => setShowsEnded(!showsEnded)}>
            {showsEnded ? 'Hide' : 'Show'} {plural(ended.length, 'ended key')}
          </Button>
        </div>
      )}
      {showsEnded && (
        <ul className="stack tight" aria-label="Ended keys">
          {ended.map((key) => (
            <KeyCard key={key.id} of={key} />
          ))}
        </ul>
      )}
      {isCreating && <CreateKeyDialog tenantId={tenantId} onClose={() => setCreating(false)} />}
    </div>
  );
}

function KeyCard({ of }: { of: ShownKey }) {
  const state = stateOf(of);
  return (
    <li className={`card ${styles.keyCard}`}>
      <div className="row">
        <span className="row wrap grow">
          {of.name && <strong className="break">{of.name}</strong>}
          <code className={of.name ? 'muted small' : undefined}>{of.prefix}…</code>
        </span>
        <Status {...state} />
        <KeyActions of={of} />
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
              {state.word === 'Active' ? 'Expires' : 'Expired'} <Time at={of.expiresAt} />
            </span>
          )
        )}
      </p>
    </li>
  );
}

/** Menu of a key. It is unmounted with the dialog that it opens. */
function KeyActions({ of }: { of: ShownKey }) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke'>();
  const cannotEdit = useRefusal(['admin', 'mutation', 'updateKey']);
  const cannotRotate = useRefusal(['admin', 'mutation', 'rotateKey']);
  const cannotRevoke = useRefusal(['admin', 'mutation', 'revokeKey']);
  const revoking = useAction(({ admin }) => admin.revokeKey({ id: of.id! }), { done: 'Key revoked', again: ['admin'] });
  const called = of.name ?? `${of.prefix}…`;
  const close = () => setOpen(undefined);
  return (
    <>
      <ActionMenu
        trigger={
          <IconButton label={`Actions: ${called}`} look="plain" size="small">
            <DotsHorizontalIcon />
          </IconButton>
        }
        entries={[
          { label: 'Edit', refusal: cannotEdit, onSelect: () => setOpen('edit') },
          isActive(of) && { label: 'Rotate', refusal: cannotRotate, onSelect: () => setOpen('rotate') },
          { label: 'Copy ID', onSelect: () => copy(of.id!, () => toasts.add({ title: 'ID copied' })) },
          isActive(of) && { label: 'Revoke', isDanger: true, refusal: cannotRevoke, onSelect: () => setOpen('revoke') },
        ]}
      />
      {open === 'edit' && (
        <EditKeyDialog
          id={of.id!}
          name={of.name}
          scope={(of.scope ?? []).filter((entry) => entry !== null)}
          expiresAt={of.expiresAt}
          isActive={isActive(of)}
          called={called}
          onClose={close}
        />
      )}
      {open === 'rotate' && <RotateKeyDialog id={of.id!} called={called} onClose={close} />}
      <Confirm
        title={`Revoke ${called}?`}
        action="Revoke key"
        isOpen={open === 'revoke'}
        onClose={close}
        onConfirm={() => revoking.mutateAsync()}
      >
        Requests with this key fail within 5 seconds. This can’t be undone.
      </Confirm>
    </>
  );
}
