import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { Chip, FilterField, PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { MAY_LIST_SENDERS, MAY_VERIFY } from '../mails';
import { SENDER_WORDS, undeliveredReason } from '../words';
import { SenderDetail } from './sender-detail';
import { isNamedBy, type Sender, senderPath, useSenders } from './use-senders';
import { VerifyDialog } from './verify-dialog';

const STATUSES = Object.entries(SENDER_WORDS) as [NonNullable<Sender['status']>, (typeof SENDER_WORDS)['PENDING']][];

/** The addresses that mail may come from, besides that of the server. */
export function Senders({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_SENDERS);
  const verifyRefusal = useRefusal(MAY_VERIFY);
  const [isVerifying, setVerifying] = useState(false);
  const verify = () => setVerifying(true);
  useShortcut('c', verifyRefusal ? undefined : verify);
  useCommands(
    useMemo<Command[]>(
      () =>
        verifyRefusal
          ? []
          : [{ id: 'email verify', group: 'Create', word: 'Address to send from', run: () => setVerifying(true) }],
      [verifyRefusal],
    ),
  );
  const action = (
    <Button look="primary" refusal={verifyRefusal} onClick={verify}>
      Verify an address
    </Button>
  );
  return (
    <div className="page">
      <PageHead title="Email" actions={action}>
        {tabs}
      </PageHead>
      {refusal ? <NoPermission what="see senders" refusal={refusal} /> : <SenderList shown={shown} action={action} />}
      <VerifyDialog isOpen={isVerifying} onClose={() => setVerifying(false)} />
    </div>
  );
}

function SenderList({ shown, action }: { shown: string | undefined; action: ReactNode }) {
  const { data, error, refetch, isPending } = useSenders(true);
  const [, navigate] = useLocation();
  const [{ status, address = '' }, change] = useFilters();
  const items = useMemo(
    () =>
      (data ?? []).filter(
        (sender) => (!status || sender.status === status) && (sender.address ?? '').toLowerCase().includes(address.toLowerCase()),
      ),
    [data, status, address],
  );
  const open = shown === undefined ? undefined : data?.find((sender) => isNamedBy(sender.address ?? '', shown));
  const close = () => navigate('/senders');
  if (error && !data) {
    return (
      <div className="page-body">
        <ErrorNotice error={error} tried="read the senders" onRetry={() => void refetch()} />
      </div>
    );
  }
  return (
    <>
      <div className="filters">
        <Chip isActive={!status} onClick={() => change({ status: undefined })}>
          All
        </Chip>
        {STATUSES.map(([one, { word }]) => (
          <Chip key={one} isActive={status === one} onClick={() => change({ status: status === one ? undefined : one })}>
            {word}
          </Chip>
        ))}
        <FilterField label="Address" isMain value={address} onChange={(next) => change({ address: next })} />
      </div>
      <Split
        list={
          <Records
            label="Senders"
            items={items}
            keyOf={(sender) => sender.address ?? ''}
            hrefOf={(sender) => senderPath(sender.address ?? '')}
            openKey={open?.address ?? undefined}
            isLoading={isPending}
            rowHeight={56}
            empty={
              <NoSenders
                hasSome={(data?.length ?? 0) > 0}
                action={action}
                onClear={() => change({ status: undefined, address: undefined })}
              />
            }
          >
            {(sender) => <SenderRow sender={sender} />}
          </Records>
        }
        detail={
          open ? (
            <SenderDetail key={open.address} sender={open} onClose={close} />
          ) : shown !== undefined && data ? (
            <Empty title="No such sender" action={<Button onClick={close}>Show all senders</Button>}>
              <p className="muted">The tenant has no address of this name. It may have been deleted.</p>
            </Empty>
          ) : undefined
        }
      />
    </>
  );
}

function SenderRow({ sender: { address, status, lastError, createdAt, verifiedAt } }: { sender: Sender }) {
  const at = verifiedAt ?? createdAt;
  return (
    <span className="mail-row sender">
      <span className="mail-status">{status && <Status {...SENDER_WORDS[status]} />}</span>
      <span className="mail-subject">
        <span className="truncate" title={address ?? ''}>
          {address}
        </span>
        {lastError && (
          <span className={status === 'FAILED' ? 'mail-reason truncate' : 'mail-reason wait truncate'} title={lastError}>
            {undeliveredReason(lastError, address)}
          </span>
        )}
      </span>
      <span className="mail-time">{at && <Time at={at} />}</span>
    </span>
  );
}

function NoSenders({ hasSome, action, onClear }: { hasSome: boolean; action: ReactNode; onClear: () => void }) {
  const { prefix } = useDescription();
  if (hasSome) {
    return <Empty title="No sender matches" action={<Button onClick={onClear}>Show all senders</Button>} />;
  }
  return (
    <Empty title="Mail comes from the address of the server" action={action}>
      <p className="muted">To send from another address, its reader has to agree once, by a link that is sent to it.</p>
      <Snippet
        label="Request that verifies an address"
        code={`# $KEY is the key that begins with ${prefix}
curl -s ${location.origin}/email/graphql -H "x-api-key: $KEY" -H 'content-type: application/json' -d '{
  "query": "mutation { verifyEmailIdentity(address: \\"shop@example.com\\") { address status } }"
}'`}
      />
    </Empty>
  );
}
