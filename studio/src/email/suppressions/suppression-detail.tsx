import { Link } from 'wouter';
import { useAction } from '../../api/use-action';
import { ConfirmButton } from '../../ui/confirm';
import { Button } from '../../ui/controls';
import { CopyButton } from '../../ui/copy';
import { Detail, Facts } from '../../ui/page';
import { ErrorNotice, Skeleton } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { MAY_REMOVE_SUPPRESSIONS } from '../mails';
import { SUPPRESSION_WORDS } from '../words';
import { type Suppression, SUPPRESSIONS, useSuppressions, wordOfList } from './use-suppressions';
import styles from '../email.module.css';

/** An address: the mails it does not receive, and why. */
export function SuppressionDetail({ address, onClose }: { address: string; onClose: () => void }) {
  const pages = useSuppressions({ address });
  const { items, error, isPending } = pages;
  return (
    <Detail
      title={address}
      onClose={onClose}
      of={{ json: items, request: { service: 'email', operation: 'suppressions', variables: { filter: { address } } } }}
    >
      <div className="row wrap">
        <span className={`muted ${styles.about}`}>{isPending || error ? '' : aboutOf(items)}</span>
        <CopyButton text={address} label="Copy address" />
      </div>
      {error && <ErrorNotice error={error} tried="load the suppressions" onRetry={pages.readAgain} />}
      {isPending && !error && <Skeleton lines={5} label="Loading suppressions" />}
      {byList(items).map(([list, suppressions]) => (
        <ListCard key={list ?? ''} address={address} list={list} suppressions={suppressions} />
      ))}
      {pages.hasMore && (
        <Button size="small" disabled={pages.isLoading} onClick={pages.readMore}>
          Show more
        </Button>
      )}
    </Detail>
  );
}

function aboutOf(items: readonly Suppression[]): string {
  if (items.length === 0) return 'This address isn’t suppressed. It receives emails.';
  if (items.some(({ list }) => list === null)) return 'Emails aren’t sent to this address.';
  return 'Emails of these lists aren’t sent to this address. Other emails are.';
}

/** Suppressions by list, those of all mails first: they are removed together. */
function byList(items: readonly Suppression[]): [list: string | null, Suppression[]][] {
  const lists = new Map<string | null, Suppression[]>();
  for (const one of items) lists.set(one.list, [...(lists.get(one.list) ?? []), one]);
  return [...lists].sort(([a], [b]) => Number(a !== null) - Number(b !== null));
}

interface ListProps {
  address: string;
  list: string | null;
  suppressions: readonly Suppression[];
}

/** Reason why an address does not receive the mails of a list, or any, and how that ends. */
function ListCard({ address, list, suppressions }: ListProps) {
  const removing = useAction(({ email }) => email.deleteSuppression({ address, list }, { address: true }), {
    done: 'Suppression removed',
    again: SUPPRESSIONS,
  });
  return (
    <section className="card stack tight">
      <div className="row">
        <h3 className="grow break">{wordOfList(list)}</h3>
        <ConfirmButton
          word="Remove"
          size="small"
          right={MAY_REMOVE_SUPPRESSIONS}
          title={`Remove the suppression of ${address}?`}
          action="Remove suppression"
          onConfirm={() => removing.mutateAsync()}
        >
          {list === null ? 'New emails are sent to this address.' : `New emails of the list ${list} are sent to this address.`}{' '}
          Failed emails aren’t sent again.
        </ConfirmButton>
      </div>
      {suppressions.map((one) => (
        <Why key={one.reason} suppression={one} />
      ))}
    </section>
  );
}

function Why({ suppression: { reason, createdAt, expiresAt, messageId, diagnostic } }: { suppression: Suppression }) {
  const { about, ...status } = SUPPRESSION_WORDS[reason!];
  return (
    <div className="stack tight">
      <div className="row wrap">
        <Status {...status} />
        <span className="muted small">{about}</span>
      </div>
      <Facts
        of={[
          ['Since', createdAt && <Time key="since" at={createdAt} />],
          ['Expires', expiresAt ? <Time key="ends" at={expiresAt} /> : 'Never'],
          ['Reply', diagnostic ?? undefined],
          ['Email', messageId ? <MailLink key="mail" id={messageId} /> : undefined],
        ]}
      />
    </div>
  );
}

const MailLink = ({ id }: { id: string }) => <Link href={`/${id}`}>Show email</Link>;
