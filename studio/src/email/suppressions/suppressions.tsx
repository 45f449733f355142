import type { ReactNode } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ListPage, useCreate } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { useFilters } from '../../ui/use-search';
import { MAY_ADD_SUPPRESSIONS, MAY_LIST_SUPPRESSIONS } from '../mails';
import { SUPPRESSION_WORDS } from '../words';
import { AddSuppressions } from './add-suppressions';
import { SuppressionDetail } from './suppression-detail';
import {
  addressIn,
  type Suppression,
  type SuppressionFilter,
  suppressionPath,
  useSuppressions,
  wordOfList,
} from './use-suppressions';

const NO_FILTER = { address: undefined, reason: undefined, list: undefined } as const;
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
  {
    word: 'Address',
    line: 'who',
    sortBy: ({ address }) => address ?? '',
    cell: ({ address }) => (
      <span className="truncate" title={address ?? ''}>
        {address}
      </span>
    ),
  },
  {
    word: 'Applies to',
    width: 160,
    room: 'medium',
    line: 'what',
    sortBy: ({ list }) => wordOfList(list),
    cell: ({ list }) => <span className="truncate muted">{wordOfList(list)}</span>,
  },
  {
    word: 'Added',
    width: 96,
    line: 'when',
    isNumber: true,
    sortBy: ({ createdAt }) => createdAt ?? '',
    cell: ({ createdAt }) => createdAt && <Time at={createdAt} />,
  },
];

/** Returns whether an address is incomplete. The service finds whole ones only. */
const isPart = (address: string | undefined): boolean => Boolean(address) && !/.@./.test(address!);

const keyOf = ({ address, list, reason }: Suppression): string => JSON.stringify([address, list, reason]);

/** Suppressed addresses, with the chosen one. */
export function Suppressions({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_SUPPRESSIONS);
  const create = useCreate({ id: 'email suppress', word: 'Add suppressions', refusal: useRefusal(MAY_ADD_SUPPRESSIONS) });
  const [, navigate] = useLocation();
  const search = useSearch();
  const open = shown === undefined ? undefined : addressIn(shown);
  const [{ address, reason, list }, change] = useFilters();
  const filter = { address: address?.trim(), reason, list: list?.trim() && list };
  const pages = useSuppressions(filter, !refusal && !isPart(filter.address));
  const pathOf = (path: string) => `${path}${search && `?${search}`}`;
  return (
    <>
      <ListPage
        head={
          <PageHead title="Suppressions" shown="Email" actions={create.button}>
            {tabs}
          </PageHead>
        }
        refusal={refusal}
        tried="list suppressions"
        label="Suppressions"
        list={pages}
        keyOf={keyOf}
        hrefOf={(one) => pathOf(suppressionPath(one.address ?? ''))}
        openKey={openKeyOf(pages.items, open)}
        columns={COLUMNS}
        filters={
          <FilterBar
            search={{ name: 'address', label: 'Address' }}
            filters={FILTERS}
            list={pages}
            counted={['suppression', 'suppressions']}
          />
        }
        empty={<NoSuppressions filter={filter} action={create.button} onClear={() => change(NO_FILTER)} />}
        detail={
          open !== undefined && <SuppressionDetail key={open} address={open} onClose={() => navigate(pathOf('/suppressions'))} />
        }
      />
      {create.isOpen && <AddSuppressions onClose={create.close} />}
    </>
  );
}

function openKeyOf(items: readonly Suppression[], open: string | undefined): string | undefined {
  const found = items.find(({ address }) => address === open?.toLowerCase());
  return found && keyOf(found);
}

interface NoneProps {
  filter: SuppressionFilter;
  action: ReactNode;
  onClear: () => void;
}

function NoSuppressions({ filter: { address, reason, list }, action, onClear }: NoneProps) {
  if (isPart(address)) {
    return (
      <Empty title="Enter a full address">
        <p className="muted">Search by a full address, for example ann@example.com.</p>
      </Empty>
    );
  }
  if (address || reason || list) {
    return (
      <Empty title="No suppressions match" action={<Button onClick={onClear}>Clear filters</Button>}>
        {list && <p className="muted">Enter the exact list name.</p>}
      </Empty>
    );
  }
  return (
    <Empty title="No suppressions yet" action={action}>
      <p className="muted">
        Emails aren’t sent to suppressed addresses: addresses that bounced, complained or unsubscribed, and addresses you add.
      </p>
    </Empty>
  );
}
