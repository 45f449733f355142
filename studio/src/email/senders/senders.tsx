import type { ReactNode } from 'react';
import { useDescription, useRefusal } from '../../api/api-context';
import { Snippet } from '../../ui/copy';
import { listingOf } from '../../ui/list-page';
import { ResourcePage, type RoomPageProps } from '../../ui/resource-page';
import { Empty } from '../../ui/states';
import { MAY_LIST_SENDERS, MAY_VERIFY } from '../mails';
import { hasStatus, statusColumns, statusFilter } from '../status-list';
import { SENDER_WORDS, undeliveredReason } from '../words';
import { SenderDetail } from './sender-detail';
import { isNamedBy, type Sender, SENDERS, useSenders } from './use-senders';
import { sampleOf } from '../../ui/sample';
import { TextField } from '../../ui/controls';
import { FormDialog } from '../../ui/form-dialog';
import { useForm } from '../../ui/use-form';

/** Sender addresses, besides that of the server. */
export function Senders({ tabs, shown }: RoomPageProps) {
  const refusal = useRefusal(MAY_LIST_SENDERS);
  const senders = useSenders(!refusal);
  return (
    <ResourcePage<Sender>
      word="sender"
      path="/senders"
      heading="Email"
      tabs={tabs}
      refusal={refusal}
      list={listingOf(senders)}
      columns={COLUMNS}
      keyOf={addressOf}
      segmentOf={(sender) => encodeURIComponent(addressOf(sender))}
      search={SEARCH}
      filters={FILTERS}
      fits={hasStatus}
      create={{
        id: 'email verify',
        rights: [MAY_VERIFY],
        renderDialog: (close, onCreated) => <VerifyDialog onClose={close} onCreated={onCreated} />,
      }}
      renderEmpty={(action) => <NoSenders action={action} />}
      shown={shown}
      isShown={(sender, part) => isNamedBy(addressOf(sender), part)}
      renderItem={(sender, close) => <SenderDetail key={sender.address} sender={sender} onClose={close} />}
    />
  );
}

const addressOf = ({ address }: Sender): string => address ?? '';
const SEARCH = { name: 'address', label: 'Address', textOf: addressOf };
const FILTERS = [statusFilter(SENDER_WORDS)];
const COLUMNS = statusColumns<Sender>({
  word: 'Address',
  nameOf: addressOf,
  statusOf: ({ status }) => (status ? SENDER_WORDS[status] : undefined),
  reasonOf: ({ lastError, address }) => (lastError ? undeliveredReason(lastError, address) : undefined),
  time: 'Verified',
  timeOf: ({ verifiedAt, createdAt }) => verifiedAt ?? createdAt,
});

function NoSenders({ action }: { action: ReactNode }) {
  const { prefix } = useDescription();
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

/** Dialog that sends a verification link to an address. */
function VerifyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (segment: string) => void }) {
  const form = useForm({
    first: { address: '' },
    send: ({ address }, { email }) => email.verifyEmailIdentity({ address: address.trim() }),
    again: SENDERS,
    onDone: (sender, { address }) => onCreated(encodeURIComponent(sender.address ?? address.trim())),
  });
  const isReady = form.values.address.trim() !== '';
  return (
    <FormDialog form={form} title="New sender" action="Send link" isReady={isReady} onClose={onClose}>
      <TextField
        label="Address"
        hint="We send a verification link to this address. It expires after 24 hours."
        inputMode="email"
        autoComplete="email"
        placeholder="shop@example.com"
        {...form.field('address')}
      />
    </FormDialog>
  );
}
