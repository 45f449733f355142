import { type ReactNode, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_LIST_SENDERS, MAY_VERIFY } from '../mails';
import { StatusFilters, StatusRow } from '../status-list';
import { SENDER_WORDS, undeliveredReason } from '../words';
import { SenderDetail } from './sender-detail';
import { isNamedBy, senderPath, useSenders } from './use-senders';
import { VerifyDialog } from './verify-dialog';

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
      <StatusFilters words={SENDER_WORDS} name="address" label="Address" />
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
            {({ address: name, status: state, lastError, createdAt, verifiedAt }) => (
              <StatusRow
                status={state ? SENDER_WORDS[state] : undefined}
                name={name ?? ''}
                reason={lastError ? undeliveredReason(lastError, name) : undefined}
                at={verifiedAt ?? createdAt}
              />
            )}
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
