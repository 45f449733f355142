import type { LogOrder, Operations, LogsFilter } from '../../../../clients/js/src/generated/log';
import { OPERATIONS, SERVICE } from '../../../../clients/js/src/generated/log';
import { FailedPreconditionError } from '../../../../clients/js/src/errors';
import { serviceOf } from '../../../../clients/js/src/operations';
import { Transport } from '../../../../clients/js/src/transport';
import type { Api } from '../../api/client';
import { asCaller } from '../../api/caller';
import { session } from '../../api/session';
import { type DamagedRecord, LISTED, type ListedRecord, WHOLE, type WholeRecord } from './log-record';

export interface Wanted {
  filter: LogsFilter;
  order?: LogOrder;
  limit?: number;
  nextToken?: string | undefined;
}

export interface LogPage<T> {
  items: (T | DamagedRecord)[];
  /** Null if nothing more can be read now. */
  nextToken: string | null;
}

type Read<T> = (log: Api['log']) => Promise<{ items: T[]; nextToken: string | null; hasMore: boolean | null }>;

/** Reads a page, including damaged records. */
async function readPage<T extends { id: string }>(api: Api, read: Read<T>): Promise<LogPage<T>> {
  let page: Awaited<ReturnType<Read<T>>>;
  try {
    page = await read(api.log);
  } catch (error) {
    if (!(error instanceof FailedPreconditionError)) throw error;
    page = await read(damageShowing());
  }
  // The order of writing always has a token for later records.
  return { items: page.items, nextToken: page.hasMore ? page.nextToken : null };
}

const variablesOf = ({ filter, order = 'EVENT', limit = 80, nextToken }: Wanted) => ({
  filter,
  order,
  limit,
  ...(nextToken && { nextToken }),
});

export const readListed = (api: Api, wanted: Wanted, signal?: AbortSignal): Promise<LogPage<ListedRecord>> =>
  readPage(api, (log) =>
    log.logs(variablesOf(wanted), { items: LISTED, nextToken: true, hasMore: true }, { ...(signal && { signal }) }),
  );

export const readWhole = (api: Api, wanted: Wanted, signal?: AbortSignal): Promise<LogPage<WholeRecord>> =>
  readPage(api, (log) =>
    log.logs(variablesOf(wanted), { items: WHOLE, nextToken: true, hasMore: true }, { ...(signal && { signal }) }),
  );

/** Service for pages with damaged records, each of which is null with an error in its place. */
function damageShowing(): Api['log'] {
  const transport = new Transport({ url: location.origin, key: session.read(), retries: 1, fetch: fetchWithDamage });
  return serviceOf<Operations>(transport, SERVICE, OPERATIONS);
}

interface Answer {
  data?: { logs?: { items?: unknown[] } | null } | null;
  errors?: { message: string; path?: (string | number)[] }[];
}

/** Replaces each damaged record by its error. */
async function fetchWithDamage(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, asCaller(init));
  const answer = (await response.json()) as Answer;
  const items = answer.data?.logs?.items;
  const others = (answer.errors ?? []).filter(({ message, path }) => {
    const at = path?.[2];
    if (!items || typeof at !== 'number' || items[at] !== null) return true;
    items[at] = { id: /Log ([\da-f-]{36})/.exec(message)?.[1] ?? `unreadable-${at}`, damage: message };
    return false;
  });
  const { errors: _, ...rest } = answer;
  return Response.json(others.length > 0 ? { ...rest, errors: others } : rest, { status: response.status });
}
