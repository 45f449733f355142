import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useApi, useRefusal } from '../../api/api-context';
import { filterOf, searchText } from '../../log/data/filters';
import { isDamaged } from '../../log/data/log-record';
import { readWhole } from '../../log/data/read-logs';
import { Button } from '../../ui/controls';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status, Time } from '../../ui/status';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { AuditDetail } from './audit-detail';
import { Author } from './author';
import { ACTIONS, actionWord, entriesOf, type Listed, summaryOf } from './audit-entry';
import styles from '../tenants.module.css';

const PAGE = 100;
const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'action', word: 'Action', values: Object.entries(ACTIONS) },
  { kind: 'time', word: 'Time', from: 'from', to: 'to' },
];
const NAMES = ['documentId', 'action', 'from', 'to'] as const;

/** Actions of operators: the log of the operator's own tenant, a line for each. */
export function AuditTab({ tabs, openId }: { tabs: ReactNode; openId: string | undefined }) {
  const api = useApi();
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  const [search, change] = useFilters();
  const [, navigate] = useLocation();
  const filter = useMemo(() => filterOf(search), [search]);
  const { items, ...pages } = usePages({
    queryKey: ['log', 'audit', filter],
    read: (nextToken, signal) => readWhole(api, { filter, limit: PAGE, nextToken }, signal),
    isEnabled: !refusal,
  });
  const entries = useMemo(() => entriesOf(items), [items]);
  const list = { ...pages, items: entries };
  const rest = searchText(search);
  const isFiltered = NAMES.some((name) => search[name]);
  const open = entries.find(({ id }) => id === openId);
  return (
    <ListPage<Listed>
      head={
        <PageHead title="Tenants" shown="Tenants">
          {tabs}
        </PageHead>
      }
      refusal={refusal}
      tried="load the audit log"
      label="Audit log"
      list={list}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/audit/${id}${rest}`}
      openKey={openId}
      columns={COLUMNS}
      filters={
        <FilterBar
          search={{ name: 'documentId', label: 'Tenant or key ID' }}
          filters={FILTERS}
          list={list}
          counted={['action', 'actions']}
        />
      }
      empty={
        isFiltered ? (
          <Empty
            title="No actions match"
            action={
              <Button onClick={() => change(Object.fromEntries(NAMES.map((name) => [name, undefined])))}>Clear filters</Button>
            }
          />
        ) : (
          <Empty title="No actions yet">
            <p className="muted">What operators do with tenants and keys is recorded and sealed here.</p>
          </Empty>
        )
      }
      detail={openId && <AuditDetail key={openId} id={openId} listed={open} onClose={() => navigate(`/audit${rest}`)} />}
    />
  );
}

const COLUMNS: readonly Column<Listed>[] = [
  {
    word: 'Action',
    width: 168,
    line: 'who',
    cell: (entry) =>
      isDamaged(entry) ? (
        <Status kind="bad" word="Damaged" />
      ) : (
        <span className={`truncate ${styles.auditAction}`}>{actionWord(entry.records[0])}</span>
      ),
  },
  {
    word: 'Tenant or key',
    line: 'what',
    cell: (entry) => {
      if (isDamaged(entry)) return <code className="truncate">{entry.id}</code>;
      const { comment, documentId } = entry.records[0];
      return comment ? <span className="truncate">{comment}</span> : <code className="truncate muted">{documentId}</code>;
    },
  },
  {
    word: 'Change',
    room: 'wide',
    cell: (entry) => !isDamaged(entry) && <span className="truncate muted">{summaryOf(entry)}</span>,
  },
  {
    word: 'By',
    width: 128,
    room: 'medium',
    cell: (entry) => !isDamaged(entry) && <Author of={entry.records[0]} />,
  },
  {
    word: 'Time',
    width: 96,
    line: 'when',
    isNumber: true,
    cell: (entry) => !isDamaged(entry) && <Time at={entry.records[0].dateTime ?? ''} />,
  },
];
