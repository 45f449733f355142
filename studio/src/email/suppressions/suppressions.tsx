import type { ReactNode } from 'react';
import { useRefusal } from '../../api/api-context';
import { textColumn, timeColumn } from '../../ui/columns';
import type { Filter } from '../../ui/filter-bar';
import { NoMatch } from '../../ui/no-match';
import type { Column } from '../../ui/records';
import { ResourcePage, type RoomPageProps } from '../../ui/resource-page';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { MAY_ADD_SUPPRESSIONS, MAY_LIST_SUPPRESSIONS } from '../mails';
import { SUPPRESSION_WORDS } from '../words';
import { AddSuppressions } from './add-suppressions';
import { SuppressionDetail } from './suppression-detail';
import { addressIn, segmentOf, type Suppression, type SuppressionFilter, useSuppressions, wordOfList } from './use-suppressions';

const SEARCH = { name: 'address', label: 'Address' };
const FILTERS: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'reason',
    word: 'Reason',
    values: Object.entries(SUPPRESSION_WORDS).map(([reason, { word }]) => [reason, word]),
  },
  { kind: 'text', name: 'list', word: 'List', hint: 'Exact list name. Case-sensitive.' },
];
const COLUMNS: readonly Column<Suppression>[] = [
  { word: 'Reason', width: 120, line: 'state', cell: ({ reason }) => reason && <Status {...SUPPRESSION_WORDS[reason]} /> },
  textColumn('Address', ({ address }) => address, { line: 'who' }),
  textColumn('Applies to', ({ list }) => wordOfList(list), { width: 160, room: 'medium', line: 'what', isMuted: true }),
  timeColumn('Added', ({ createdAt }) => createdAt, { line: 'when' }),
];

/** Returns whether an address is incomplete. The service finds whole ones only. */
const isPart = (address: string | undefined): boolean => Boolean(address) && !/.@./.test(address!);

const keyOf = ({ address, list, reason }: Suppression): string => JSON.stringify([address, list, reason]);

/** Suppressed addresses, with the chosen one. */
export function Suppressions({ tabs, shown }: RoomPageProps) {
  const refusal = useRefusal(MAY_LIST_SUPPRESSIONS);
  const [{ address, reason, list }] = useFilters();
  const filter = { address: address?.trim(), reason, list: list?.trim() && list };
  const pages = useSuppressions(filter, !refusal && !isPart(filter.address));
  return (
    <ResourcePage<Suppression>
      word="suppression"
      path="/suppressions"
      heading="Email"
      tabs={tabs}
      refusal={refusal}
      list={pages}
      columns={COLUMNS}
      keyOf={keyOf}
      segmentOf={(one) => segmentOf(one.address ?? '')}
      search={SEARCH}
      filters={FILTERS}
      create={{
        id: 'email suppress',
        word: 'Add suppressions',
        rights: [MAY_ADD_SUPPRESSIONS],
        renderDialog: (close) => <AddSuppressions onClose={close} />,
      }}
      renderEmpty={(action) => <NoSuppressions filter={filter} action={action} />}
      shown={shown}
      isShown={(one, part) => one.address === addressIn(part).toLowerCase()}
      renderShown={(part, close) => <SuppressionDetail key={part} address={addressIn(part)} onClose={close} />}
    />
  );
}

function NoSuppressions({ filter: { address, reason, list }, action }: { filter: SuppressionFilter; action: ReactNode }) {
  if (isPart(address)) {
    return (
      <Empty title="Enter a full address">
        <p className="muted">Search by a full address, for example ann@example.com.</p>
      </Empty>
    );
  }
  if (address || reason || list) {
    return <NoMatch what="suppressions">{list && 'Enter the exact list name.'}</NoMatch>;
  }
  return (
    <Empty title="No suppressions yet" action={action}>
      <p className="muted">
        Emails aren’t sent to suppressed addresses: addresses that bounced, complained or unsubscribed, and addresses you add.
      </p>
    </Empty>
  );
}
