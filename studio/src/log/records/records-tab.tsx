import { DownloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useDescription, useRefusal } from '../../api/api-context';
import { keptLive } from '../../api/live';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { type Filter, FilterBar } from '../../ui/filter-bar';
import { ListPage } from '../../ui/list-page';
import { Empty } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { filterOf, isFiltered, NO_FILTERS, offeredBy, orderOf, searchText, TEXT_FILTERS } from '../data/filters';
import type { DamagedRecord, ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { ExportRecords } from '../export/export-records';
import { recordColumns } from '../parts/record-columns';
import { RecordDetail } from '../record/record-detail';
import { RecordsADay } from './records-a-day';
import { sampleOf } from '../../ui/sample';

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
  const [search, change] = useFilters();
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
        empty={isFiltered(search) ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NothingYet onWrite={onWrite} />}
        detail={openId && <RecordDetail key={openId} id={openId} onClose={close} />}
      />
      <ExportRecords search={search} isOpen={isExporting} onClose={() => setExporting(false)} />
    </>
  );
}

/** Loaded records of the filter, and the number of new ones. */
function useRecords(search: Readonly<Record<string, string>>, isEnabled: boolean) {
  const api = useApi();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = orderOf(search);
  const list = usePages<ListedRecord | DamagedRecord>({
    queryKey: ['log', 'records', order, filter],
    read: (nextToken, signal) => readListed(api, { filter, order, nextToken }, signal),
    isEnabled,
  });
  const newest = useQuery({
    queryKey: ['log', 'newest', filter],
    queryFn: ({ signal }) => api.log.logs({ filter, limit: LOOKED_AT }, { items: { id: true } }, { signal }),
    enabled: isEnabled && order === 'EVENT' && !list.isPending && !list.error,
    meta: keptLive('document-log'),
  });
  const known = useMemo(() => new Set(list.items.map(({ id }) => id)), [list.items]);
  const newCount = order === 'EVENT' ? (newest.data?.items ?? []).filter((item) => item && !known.has(item.id)).length : 0;
  return { ...list, newCount };
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="No records match" action={<Button onClick={onClear}>Clear filters</Button>}>
      <p className="muted">Filters match exact values. Case-sensitive.</p>
    </Empty>
  );
}

function NothingYet({ onWrite }: { onWrite: () => void }) {
  const { prefix } = useDescription();
  const refusal = useRefusal(['document-log', 'mutation', 'createLog']);
  return (
    <Empty
      title="No records yet"
      action={
        <Button look="primary" refusal={refusal} onClick={onWrite}>
          Add record
        </Button>
      }
    >
      <p className="muted">Log who changed what. Any later tampering becomes visible.</p>
      <Snippet label="request to add a record" code={snippet(prefix)} />
    </Empty>
  );
}

const snippet = (prefix: string) =>
  sampleOf(prefix, 'document-log', 'mutation($i: CreateLogInput!) { createLog(input: $i) { itemId } }', {
    i: { documentType: 'invoice', documentId: 'INV-18', dateTime: new Date().toISOString(), action: 'create' },
  });
