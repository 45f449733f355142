import type { Query, QueryClient } from '@tanstack/react-query';
import { joinQueries } from './joining-transport';
import { link } from './link';
import { rate } from './rate';
import type { ServiceName } from './scope';

/** Source of live data: a service, the description of the key, the requests of its tenant, or the health of the node. */
export type Source = ServiceName | 'key' | 'requests' | 'health';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: { live?: Source | undefined; isOnItsWay?: ((data: never) => boolean) | undefined };
  }
}

/** Metadata of a query with live data. Pending data is read every few seconds in the minute after a change made here. */
export const keptLive = <T = never>(live: Source | undefined, onItsWay?: (data: T) => boolean) => ({
  live,
  isOnItsWay: onItsWay,
});

/** Interval of requests: an idle page sends four a minute. */
const TURN_MS = 15_000;
const FRESH_MS = 30_000;
/** Share of the key's rate for updates. The rest is for applications. */
const SHARE = 0.1;
const MINUTE_MS = 60_000;
const FOLLOWED_MS = 60_000;
const SOON_MS = 2_000;

/** Polls what is shown: one source after another, and none while the tab is hidden. No query has an interval of its own. */
class Live {
  private queries: QueryClient | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private followedUntil = 0;

  use(queries: QueryClient): void {
    this.queries = queries;
    // A tab that is shown again reads everything, which its queries do themselves.
    document.addEventListener('visibilitychange', joinQueries);
    this.wait(TURN_MS);
  }

  /** Follows the effects of a change made by this page. */
  follow(): void {
    this.followedUntil = Date.now() + FOLLOWED_MS;
    this.wait(SOON_MS);
  }

  readonly isFollowing = (): boolean => Date.now() < this.followedUntil && this.shown().some(isOnItsWay);

  /** Returns the time of the oldest data shown; undefined without live data. */
  readonly readUpdatedAt = (): number | undefined => {
    const times = this.shown().flatMap(({ state }) => (state.dataUpdatedAt > 0 ? [state.dataUpdatedAt] : []));
    return times.length > 0 ? Math.min(...times) : undefined;
  };

  /** Reads everything shown now, one service in a request. */
  update(): Promise<void> {
    return this.read(this.shown());
  }

  /** Returns the live queries of the page. The description of the key belongs to every page. */
  private shown(): readonly Query[] {
    const active = this.queries?.getQueryCache().findAll({ type: 'active' }) ?? [];
    return active.filter(({ meta }) => meta?.live !== undefined && meta.live !== 'key');
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.go(), ms);
  }

  private async go(): Promise<void> {
    const { timer } = this;
    const next = await this.turn();
    if (timer === this.timer) this.wait(next);
  }

  /** Reads due data. Returns the time until the next turn. */
  private async turn(): Promise<number> {
    if (document.hidden || link.isLost() || rate.readRefused() > 0) return TURN_MS;
    const { requests, points } = rate;
    const all = this.queries?.getQueryCache().findAll({ type: 'active', stale: true, fetchStatus: 'idle' }) ?? [];
    const followed = this.isFollowing() ? all.filter(isOnItsWay) : [];
    await this.read(followed.length > 0 ? followed : stalest(all));
    const ownRate = (rate.limit ?? Infinity) * SHARE;
    const turns = followed.length > 0 ? SOON_MS : TURN_MS * Math.max(1, rate.requests - requests);
    return Math.max(turns, ((rate.points - points) / ownRate) * MINUTE_MS);
  }

  private async read(some: readonly Query[]): Promise<void> {
    const hashes = new Set(some.map(({ queryHash }) => queryHash));
    joinQueries();
    await this.queries?.refetchQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) }, { cancelRefetch: false });
  }
}

const isOnItsWay = ({ meta, state: { data } }: Query): boolean =>
  data !== undefined && (meta?.isOnItsWay?.(data as never) ?? false);

/** Returns the queries of the least recently read source, if it is due. */
function stalest(all: readonly Query[]): readonly Query[] {
  const groups = Map.groupBy(
    all.filter((query) => !isLong(query)),
    groupOf,
  );
  groups.delete(undefined);
  const [first = []] = [...groups.values()].sort((one, other) => readAt(one) - readAt(other));
  return Date.now() - readAt(first) >= FRESH_MS ? first : [];
}

/** Returns the source of a live query. A failed query is sent alone, so it fails no other. */
const groupOf = ({ meta, state, queryHash }: Query): string | undefined =>
  meta?.live && (state.status === 'error' ? queryHash : meta.live);

/** Returns whether a list has so many pages that reading it again exceeds the requests of a minute. */
const isLong = ({ state: { data } }: Query): boolean => ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > 4;

const readAt = (group: readonly Query[]): number =>
  Math.min(...group.map(({ state: { dataUpdatedAt, errorUpdatedAt } }) => Math.max(dataUpdatedAt, errorUpdatedAt)));

export const live = new Live();
