import type { LogOrder, LogsFilter } from '../../../../clients/js/src/generated/log';
import type { Api } from '../../api/client';
import type { LongWork } from '../../ui/long-work';
import { readWhole } from '../data/read-logs';
import { type Format, headOf, lineOf } from './lines';
import type { Target } from './target';

export interface Exported {
  records: number;
  bytes: number;
  /** Whether more records match the filter than the target can hold. */
  isCut: boolean;
}

interface ExportOptions {
  filter: LogsFilter;
  order: LogOrder;
  format: Format;
  target: Target;
  work: LongWork;
  onPage: (exported: Exported) => void;
}

const PAGE = 500;

/** Writes all records of a filter, page by page. Stopping preserves the written part. */
export async function runExport(api: Api, { filter, order, format, target, work, onPage }: ExportOptions): Promise<void> {
  const done: Exported = { records: 0, bytes: 0, isCut: false };
  try {
    await target.write(headOf(format));
    for (let nextToken: string | undefined; ;) {
      await work.turn();
      if (work.isStopped) return;
      const page = await readWhole(api, { filter, order, limit: PAGE, nextToken }, work.signal);
      const items = page.items.slice(0, target.most - done.records);
      const text = items.map((record) => lineOf(record, format)).join('');
      await target.write(text);
      done.records += items.length;
      done.bytes += new TextEncoder().encode(text).length;
      done.isCut = items.length < page.items.length || (done.records >= target.most && page.nextToken !== null);
      onPage({ ...done });
      if (page.nextToken === null || done.isCut) return;
      nextToken = page.nextToken;
    }
  } finally {
    await target.finish();
  }
}
