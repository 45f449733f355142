import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/api-context';
import { filterOf, searchText } from '../../log/data/filters';
import { isDamaged } from '../../log/data/log-record';
import { readWhole } from '../../log/data/read-logs';
import { textColumn, timeColumn } from '../../ui/columns';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import { NoMatch } from '../../ui/no-match';
import { PageHead } from '../../ui/page';
import type { Column } from '../../ui/records';
import { Empty } from '../../ui/states';
import { Status } from '../../ui/status';
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
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  const [search] = useFilters();
  const [, navigate] = useLocation();
  const filter = useMemo(() => filterOf(search), [search]);
  const { items, ...pages } = usePages({
    queryKey: ['log', 'audit', filter],
    read: (api, nextToken, signal) => readWhole(api, { filter, limit: PAGE, nextToken }, signal),
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
          <NoMatch what="actions" />
        ) : (
          <Empty title="No actions yet">
            <p className="muted">Every change to tenants and keys appears here, sealed.</p>
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
  textColumn('Change', (entry) => (isDamaged(entry) ? '' : summaryOf(entry)), { room: 'wide', isMuted: true }),
  {
    word: 'By',
    width: 128,
    room: 'medium',
    line: 'by',
    cell: (entry) => !isDamaged(entry) && <Author of={entry.records[0]} />,
  },
  timeColumn('Time', (entry) => (isDamaged(entry) ? null : entry.records[0].dateTime), { line: 'when' }),
];
