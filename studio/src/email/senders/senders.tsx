import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { ListPage, listingOf, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import { Empty } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_LIST_SENDERS, MAY_VERIFY } from '../mails';
import { statusColumns, StatusFilters } from '../status-list';
import { SENDER_WORDS, undeliveredReason } from '../words';
import { SenderDetail } from './sender-detail';
import { isNamedBy, type Sender, senderPath, useSenders } from './use-senders';
import { VerifyDialog } from './verify-dialog';
import { sampleOf } from '../../ui/sample';

/** Sender addresses, besides that of the server. */
export function Senders({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_SENDERS);
  const create = useCreate({ id: 'email verify', word: 'New sender', refusal: useRefusal(MAY_VERIFY) });
  const senders = useSenders(!refusal);
  const [, navigate] = useLocation();
  const [{ status, address = '' }, change] = useFilters();
  const { data } = senders;
  const items = useMemo(
    () =>
      data?.filter(
        (sender) => (!status || sender.status === status) && (sender.address ?? '').toLowerCase().includes(address.toLowerCase()),
      ),
    [data, status, address],
  );
  const open = shown === undefined ? undefined : data?.find((sender) => isNamedBy(sender.address ?? '', shown));
  const close = () => navigate('/senders');
  const list = listingOf(senders, items);
  return (
    <>
      <ListPage
        head={
          <PageHead title="Senders" shown="Email" actions={create.button}>
            {tabs}
          </PageHead>
        }
        refusal={refusal}
        tried="list senders"
        label="Senders"
        list={list}
        keyOf={(sender) => sender.address ?? ''}
        hrefOf={(sender) => senderPath(sender.address ?? '')}
        openKey={open?.address ?? undefined}
        columns={COLUMNS}
        filters={
          <StatusFilters words={SENDER_WORDS} name="address" label="Address" list={list} counted={['sender', 'senders']} />
        }
        empty={
          <NoSenders
            hasSome={(data?.length ?? 0) > 0}
            action={create.button}
            onClear={() => change({ status: undefined, address: undefined })}
          />
        }
        detail={
          open ? (
            <SenderDetail key={open.address} sender={open} onClose={close} />
          ) : shown !== undefined && data ? (
            <Empty title="Sender not found" action={<Button onClick={close}>Show all senders</Button>}>
              <p className="muted">It may have been deleted.</p>
            </Empty>
          ) : undefined
        }
      />
      {create.isOpen && <VerifyDialog onClose={create.close} />}
    </>
  );
}

const COLUMNS = statusColumns<Sender>({
  word: 'Address',
  nameOf: ({ address }) => address ?? '',
  statusOf: ({ status }) => (status ? SENDER_WORDS[status] : undefined),
  reasonOf: ({ lastError, address }) => (lastError ? undeliveredReason(lastError, address) : undefined),
  time: 'Verified',
  timeOf: ({ verifiedAt, createdAt }) => verifiedAt ?? createdAt,
});

function NoSenders({ hasSome, action, onClear }: { hasSome: boolean; action: ReactNode; onClear: () => void }) {
  const { prefix } = useDescription();
  if (hasSome) {
    return <Empty title="No senders match" action={<Button onClick={onClear}>Clear filters</Button>} />;
  }
  return (
    <Empty title="No senders yet" action={action}>
      <p className="muted">Email is sent from the server’s default address. Verify an address to send from it.</p>
      <Snippet
        label="request to verify an address"
        code={sampleOf(prefix, 'email', 'mutation { verifyEmailIdentity(address: "shop@example.com") { address status } }')}
      />
    </Empty>
  );
}
