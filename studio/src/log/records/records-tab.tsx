import { DownloadIcon, PlusIcon } from '@radix-ui/react-icons';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useDescription, useRefusal } from '../../api/api-context';
import { useRead } from '../../api/use-read';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import { NoMatch } from '../../ui/no-match';
import { Empty } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { filterOf, isFiltered, offeredBy, orderOf, searchText, TEXT_FILTERS } from '../data/filters';
import type { DamagedRecord, ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { ExportRecords } from '../export/export-records';
import { recordColumns } from '../parts/record-columns';
import { RecordDetail } from '../record/record-detail';
import { sampleOf } from '../../ui/sample';
import { formatShortDay } from '../../ui/format';
import { ChartStrip } from '../../ui/chart-strip';
import { isUtc } from '../../ui/zone';

const LOOKED_AT = 50;
const FILTERS: readonly Filter[] = [
  ...TEXT_FILTERS.map(({ name, word, hint, field }): Filter => ({
    kind: 'text',
    name,
    word,
    hint,
    ...(field ? { offered: offeredBy(field) } : { isRare: true }),
  })),
  { kind: 'time', word: 'Time', from: 'from', to: 'to' },
  { kind: 'choice', name: 'order', word: 'Order by', values: [['written', 'Recorded']], isRare: true },
];

/** Records that match the filter, with the open one. */
export function RecordsTab({ openId, onWrite }: { openId: string | undefined; onWrite: () => void }) {
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  const [search] = useFilters();
  const [isExporting, setExporting] = useState(false);
  const list = useRecords(search, !refusal);
  const [, navigate] = useLocation();
  const rest = searchText(search);
  const close = useCallback(() => navigate(`/${rest}`), [navigate, rest]);
  const columns = useMemo(() => recordColumns(orderOf(search) === 'WRITTEN'), [search]);
  return (
    <>
      <ListPage<ListedRecord | DamagedRecord>
        refusal={refusal}
        tried="load the log"
        label="Records"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/${id}${rest}`}
        openKey={openId}
        columns={columns}
        onExport={() => setExporting(true)}
        filters={
          <>
            {!isFiltered(search) && <RecordsADay />}
            <FilterBar
              search={{ name: 'documentId', label: 'Document ID' }}
              filters={FILTERS}
              list={list}
              counted={['record', 'records']}
            >
              <Button size="small" onClick={() => setExporting(true)}>
                <DownloadIcon aria-hidden />
                Export
              </Button>
            </FilterBar>
          </>
        }
        empty={
          isFiltered(search) ? (
            <NoMatch what="records">Filters match exact values. Case-sensitive.</NoMatch>
          ) : (
            <NothingYet onWrite={onWrite} />
          )
        }
        detail={openId && <RecordDetail key={openId} id={openId} onClose={close} />}
      />
      <ExportRecords search={search} isOpen={isExporting} onClose={() => setExporting(false)} />
    </>
  );
}

/** Loaded records of the filter, and the number of new ones. */
function useRecords(search: Readonly<Record<string, string>>, isEnabled: boolean) {
  const filter = useMemo(() => filterOf(search), [search]);
  const order = orderOf(search);
  const list = usePages<ListedRecord | DamagedRecord>({
    queryKey: ['log', 'records', order, filter],
    read: (api, nextToken, signal) => readListed(api, { filter, order, nextToken }, signal),
    isEnabled,
  });
  const newest = useRead({
    queryKey: ['log', 'newest', filter],
    read: (api, signal) => api.log.logs({ filter, limit: LOOKED_AT }, { items: { id: true } }, { signal }),
    enabled: isEnabled && order === 'EVENT' && !list.isPending && !list.error,
    live: 'document-log',
  });
  const known = useMemo(() => new Set(list.items.map(({ id }) => id)), [list.items]);
  const newCount = order === 'EVENT' ? (newest.data?.items ?? []).filter((item) => item && !known.has(item.id)).length : 0;
  return { ...list, newCount };
}

function NothingYet({ onWrite }: { onWrite: () => void }) {
  const { prefix } = useDescription();
  return (
    <Empty
      title="No records yet"
      action={
        <Button look="primary" right={['document-log', 'mutation', 'createLog']} onClick={onWrite}>
          <PlusIcon aria-hidden />
          Add record
        </Button>
      }
      sample={<Snippet label="request to add a record" code={snippet(prefix)} />}
    >
      <p className="muted">Log who changed what. Any later tampering becomes visible.</p>
    </Empty>
  );
}

const snippet = (prefix: string) =>
  sampleOf(prefix, 'document-log', 'mutation($i: CreateLogInput!) { createLog(input: $i) { itemId } }', {
    i: { documentType: 'invoice', documentId: 'INV-18', dateTime: new Date().toISOString(), action: 'create' },
  });

const DAYS = 30;

/** Number of records per day (UTC). */
function RecordsADay() {
  const [, change] = useFilters();
  const refusal = useRefusal(['document-log', 'query', 'logActivity']);
  const query = useRead({
    queryKey: ['log', 'activity'],
    read: ({ log }, signal) => log.logActivity({ days: DAYS }, undefined, { signal }),
    enabled: !refusal,
    live: 'document-log',
  });
  const { data } = query;
  const times = useMemo(() => data?.days?.map(({ from }) => localDay(from!)), [data]);
  const series = useMemo(
    () => [{ name: 'Records', color: '--chart-plain', values: (data?.days ?? []).map(({ records }) => records ?? 0) }],
    [data],
  );
  if (refusal) return null;
  return (
    <ChartStrip
      name="log"
      title={`Last ${DAYS} days`}
      label="Records by day (UTC)"
      times={times}
      series={series}
      formatAt={formatShortDay}
      countedFrom={data?.countedFrom}
      query={query}
      onSelect={(from, to) => change({ from: utcDay(from), to: utcDay(to) })}
    />
  );
}

/** Start of the same calendar day in local time, so axis and table name the counted day. */
function localDay(time: string): string {
  if (isUtc()) return time;
  const day = new Date(time);
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()).toISOString();
}

/** The same time of the same day, in UTC. */
function utcDay(time: string): string {
  if (isUtc()) return time;
  const at = new Date(time);
  const day = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return new Date(day + (at.getTime() - new Date(at).setHours(0, 0, 0, 0))).toISOString();
}
