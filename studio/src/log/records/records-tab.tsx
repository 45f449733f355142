import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useApi, useDescription, useRefusal } from '../../api/api-context';
import { Button } from '../../ui/controls';
import { Snippet } from '../../ui/copy';
import { Split } from '../../ui/page';
import { Empty, NoPermission } from '../../ui/states';
import { usePages } from '../../ui/use-pages';
import { useFilters } from '../../ui/use-search';
import { filterOf, isFiltered, NO_FILTERS, orderOf, searchText } from '../data/filters';
import type { DamagedRecord, ListedRecord } from '../data/log-record';
import { readListed } from '../data/read-logs';
import { ExportRecords } from '../export/export-records';
import { RecordList } from '../parts/record-list';
import { RecordRow } from '../parts/record-row';
import { RecordDetail } from '../record/record-detail';
import { RecordFilters } from './record-filters';
import { RecordsADay } from './records-a-day';

const LOOK_MS = 5_000;
const LOOKED_AT = 50;

/** All records that fit the filter, and beside them the open one. */
export function RecordsTab({ openId, onWrite }: { openId: string | undefined; onWrite: () => void }) {
  const refusal = useRefusal(['document-log', 'query', 'logs']);
  const [search, change] = useFilters();
  const [isExporting, setExporting] = useState(false);
  const list = useRecords(search, !refusal);
  const [, navigate] = useLocation();
  const rest = searchText(search);
  const close = useCallback(() => navigate(`/${rest}`), [navigate, rest]);
  if (refusal) return <NoPermission what="read the log" refusal={refusal} />;
  return (
    <>
      <RecordsADay />
      <RecordFilters search={search} change={change} onExport={() => setExporting(true)} />
      <Split
        list={
          <RecordList<ListedRecord | DamagedRecord>
            label="Records"
            list={list}
            items={list.items}
            hrefOf={({ id }) => `/${id}${rest}`}
            openId={openId}
            rowHeight={56}
            newCount={list.newCount}
            empty={isFiltered(search) ? <NothingFound onClear={() => change(NO_FILTERS)} /> : <NothingYet onWrite={onWrite} />}
          >
            {(record) => <RecordRow record={record} isWritten={orderOf(search) === 'WRITTEN'} />}
          </RecordList>
        }
        detail={openId && <RecordDetail key={openId} id={openId} onClose={close} />}
      />
      <ExportRecords search={search} isOpen={isExporting} onClose={() => setExporting(false)} />
    </>
  );
}

/** The records of the filter as far as they are scrolled, and how many came since. */
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
    refetchInterval: LOOK_MS,
  });
  const known = useMemo(() => new Set(list.items.map(({ id }) => id)), [list.items]);
  const newCount = order === 'EVENT' ? (newest.data?.items ?? []).filter((item) => item && !known.has(item.id)).length : 0;
  return { ...list, newCount };
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="No record fits these filters" action={<Button onClick={onClear}>Show all records</Button>}>
      <p className="muted">Each filter compares the whole text, and upper and lower case differ.</p>
    </Empty>
  );
}

function NothingYet({ onWrite }: { onWrite: () => void }) {
  const { prefix } = useDescription();
  const refusal = useRefusal(['document-log', 'mutation', 'createLog']);
  return (
    <Empty
      title="No record yet"
      action={
        <Button look="primary" refusal={refusal} onClick={onWrite}>
          Write the first record
        </Button>
      }
    >
      <p className="muted">Record here who changed which part of which document, and every later tampering shows.</p>
      <Snippet label="the command that writes a record" code={snippet(prefix)} />
    </Empty>
  );
}

const snippet = (prefix: string) => `curl ${location.origin}/document-log/graphql \\
  -H 'x-api-key: ${prefix}…' -H 'content-type: application/json' \\
  -d '{"query": "mutation { createLog(input: {documentType: \\"invoice\\", documentId: \\"INV-18\\", dateTime: \\"${new Date().toISOString()}\\", action: \\"create\\"}) { itemId } }"}'`;
