import { type ReactNode, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { type Command, useCommands } from '../../shell/commands';
import { Button } from '../../ui/controls';
import { PageHead, Split } from '../../ui/page';
import { Records } from '../../ui/records';
import { useShortcut } from '../../ui/shortcuts';
import { Empty, ErrorNotice, NoPermission } from '../../ui/states';
import { useFilters } from '../../ui/use-search';
import { MAY_ADD_SUPPRESSIONS, MAY_LIST_SUPPRESSIONS } from '../mails';
import { isBegun } from '../outbox/outbox-filters';
import { AddSuppressions } from './add-suppressions';
import { SuppressionDetail } from './suppression-detail';
import { SuppressionFilters } from './suppression-filters';
import { SuppressionRow } from './suppression-row';
import { addressIn, type Suppression, type SuppressionFilter, suppressionPath, useSuppressions } from './use-suppressions';

const NO_FILTER = { address: undefined, reason: undefined, list: undefined } as const;

const keyOf = ({ address, list, reason }: Suppression): string => JSON.stringify([address, list, reason]);

/** The addresses that mails are not sent to, and beside them the chosen one. */
export function Suppressions({ tabs, shown }: { tabs: ReactNode; shown: string | undefined }) {
  const refusal = useRefusal(MAY_LIST_SUPPRESSIONS);
  const cannotAdd = useRefusal(MAY_ADD_SUPPRESSIONS);
  const [isAdding, setAdding] = useState(false);
  const add = () => setAdding(true);
  useShortcut('c', cannotAdd ? undefined : add);
  useCommands(
    useMemo<Command[]>(
      () => (cannotAdd ? [] : [{ id: 'email suppress', group: 'Create', word: 'Suppressions', run: () => setAdding(true) }]),
      [cannotAdd],
    ),
  );
  const action = (
    <Button look="primary" refusal={cannotAdd} onClick={add}>
      Add suppressions
    </Button>
  );
  return (
    <div className="page">
      <PageHead title="Email" actions={action}>
        {tabs}
      </PageHead>
      {refusal ? (
        <NoPermission what="see suppressions" refusal={refusal} />
      ) : (
        <SuppressionList address={shown === undefined ? undefined : addressIn(shown)} action={action} />
      )}
      {isAdding && <AddSuppressions onClose={() => setAdding(false)} />}
    </div>
  );
}

function SuppressionList({ address: open, action }: { address: string | undefined; action: ReactNode }) {
  const [, navigate] = useLocation();
  const search = useSearch();
  const [{ address, reason, list }, change] = useFilters();
  const filter = { address: address?.trim(), reason, list: list?.trim() && list };
  const isReadable = !isBegun(filter.address);
  const pages = useSuppressions(filter, isReadable);
  const items = isReadable ? pages.items : [];
  const pathOf = (path: string) => `${path}${search && `?${search}`}`;
  return (
    <>
      <SuppressionFilters filter={{ address, reason, list }} onChange={(changes) => change({ ...changes })} />
      <Split
        list={
          pages.error && items.length === 0 ? (
            <div className="page-body">
              <ErrorNotice error={pages.error} tried="read the suppressions" onRetry={pages.readAgain} />
            </div>
          ) : (
            <Records
              label="Suppressions"
              items={items}
              keyOf={keyOf}
              hrefOf={(one) => pathOf(suppressionPath(one.address ?? ''))}
              openKey={openKeyOf(items, open)}
              rowHeight={56}
              hasMore={isReadable && pages.hasMore}
              onMore={pages.readMore}
              isLoading={isReadable && pages.isLoading}
              empty={<NoSuppressions filter={filter} action={action} onClear={() => change(NO_FILTER)} />}
            >
              {(suppression) => <SuppressionRow suppression={suppression} />}
            </Records>
          )
        }
        detail={
          open !== undefined && <SuppressionDetail key={open} address={open} onClose={() => navigate(pathOf('/suppressions'))} />
        }
      />
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
  if (isBegun(address)) {
    return (
      <Empty title="Type the whole address">
        <p className="muted">Suppressions are found by a whole address, such as ann@example.com.</p>
      </Empty>
    );
  }
  if (address || reason || list) {
    return (
      <Empty title="No suppression matches" action={<Button onClick={onClear}>Show all suppressions</Button>}>
        {list && <p className="muted">Suppressions of a list are found by its whole name.</p>}
      </Empty>
    );
  }
  return (
    <Empty title="No suppressions yet" action={action}>
      <p className="muted">
        Mails are not sent to suppressed addresses: those that do not exist, whose readers complained or unsubscribed, and those
        that you add.
      </p>
    </Empty>
  );
}
