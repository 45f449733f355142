import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { Database } from '../../database/database.js';
import { lockTenant, type TenantTransaction } from '../../database/tenant-database.js';
import { AppError, badInput } from '../../base/app-error.js';
import { isId, lowestIdAt } from '../../base/ids.js';
import { MIB } from '../../base/amounts.js';
import { makeDue } from '../delivery/deliveries.queries.js';
import {
  FEW_REDELIVERED,
  MAX_REDELIVERED,
  MAX_REDELIVERED_BYTES,
  MAX_REDELIVERED_IDS,
  REDELIVER_WINDOW_MS,
  REDELIVERED_PER_SECOND,
} from '../delivery/limits.js';
import { PING, type TenantService } from '../outbox/event.js';
import { POLL_URL } from '../outbox/webhook-directory.js';
import { WebhookDeliveryStatus } from './webhook.model.js';
import type { WebhookRow } from './webhook-row.js';
import { rowIn } from './webhooks.service.js';

const DAY_MS = 86_400_000;
const SPACING_MS = 1_000 / REDELIVERED_PER_SECOND;

/** Selection of events to send again. All given conditions must hold. */
export interface Again {
  from: Date | null;
  to: Date | null;
  ids: string[] | null;
  status: WebhookDeliveryStatus | null;
}

interface Found {
  id: string;
  bodyBytes: number;
}

/** Redelivers events, or expedites queued ones. Limited, since nothing proves that the receiver belongs to the tenant. */
@Injectable()
export class RedeliveryService {
  constructor(private readonly database: Database) {}

  /** Queues events for redelivery, and returns their number. @throws RATE_LIMITED over a limit, with nothing queued */
  async redeliver({ tenantId }: Caller, service: TenantService, webhookId: string, again: Again): Promise<number> {
    checkAgain(again);
    const { dialect } = this.database;
    const tenant = this.database.of(tenantId);
    const { id, url, active } = await rowIn(tenant, service, webhookId);
    if (!active) throw new AppError('FAILED_PRECONDITION', 'The webhook is not active; set active to true first');
    const isPolled = url === POLL_URL;
    const found = await findEvents(tenant, id, again, isPolled);
    if (found.length === 0) return 0;
    return tenant.$transaction(async (own) => {
      await lockTenant(own, dialect);
      const webhook = await rowIn(own, service, webhookId);
      if (isPolled) return makeDue(dialect, own, webhook, found.map(toFetch));
      const { begin, sent, counts } = withinBounds(webhook, await own.webhook.findMany(), found, Date.now());
      const rows = sent.map((event, index) => ({ id: event.id, dueAt: new Date(begin + index * SPACING_MS) }));
      const data = { ...counts, redeliverUntil: rows.at(-1)!.dueAt, pausedUntil: null };
      await own.webhook.updateMany({ where: { id }, data });
      return makeDue(dialect, own, webhook, rows);
    });
  }
}

const toFetch = ({ id }: Found): { id: string; dueAt: null } => ({ id, dueAt: null });

function checkAgain({ from, to, ids }: Again): void {
  if (!from && !ids) throw badInput('from', 'is required unless ids are given');
  if (ids && (ids.length < 1 || ids.length > MAX_REDELIVERED_IDS))
    throw badInput('ids', `must have 1 to ${MAX_REDELIVERED_IDS} ids`);
  if (from && to && from > to) throw badInput('from', 'must not be after to');
}

/** Returns the oldest matching events. Skips queued events of a webhook that fetches them. */
function findEvents(own: TenantTransaction, webhookId: string, again: Again, isPolled: boolean): Promise<Found[]> {
  const { from, to, ids } = again;
  const status = again.status ?? (ids ? undefined : WebhookDeliveryStatus.FAILED);
  const unlessWaiting = { NOT: { status: WebhookDeliveryStatus.PENDING } };
  return own.event.findMany({
    where: {
      webhookId,
      id: {
        ...(ids && { in: [...new Set(ids)].filter(isId) }),
        ...(from && { gte: lowestIdAt(from.getTime()) }),
        ...((from || to) && { lt: lowestIdAt((to?.getTime() ?? Date.now()) + 1) }),
      },
      type: { not: PING },
      ...(status && { status }),
      ...(isPolled && unlessWaiting),
    },
    select: { id: true, bodyBytes: true },
    orderBy: { id: 'asc' },
    take: MAX_REDELIVERED,
  });
}

interface Bounded {
  /** Due time of the first event, in milliseconds. */
  begin: number;
  sent: Found[];
  counts: Pick<WebhookRow, 'redeliveredAt' | 'redelivered' | 'redeliveredBytes'>;
}

/** Returns which of the events are sent, and from when on. @throws RATE_LIMITED */
function withinBounds(webhook: WebhookRow, all: WebhookRow[], found: Found[], now: number): Bounded {
  const windowEnd = (webhook.redeliveredAt?.getTime() ?? 0) + REDELIVER_WINDOW_MS;
  const isInWindow = windowEnd > now;
  const before = isInWindow ? webhook.redelivered : 0;
  if (isInWindow && before + found.length > FEW_REDELIVERED) throw tooSoon(windowEnd - now);
  const dayStart = now - (now % DAY_MS);
  const bytesToday = (row: WebhookRow): number =>
    row.redeliverUntil && row.redeliverUntil.getTime() >= dayStart ? row.redeliveredBytes : 0;
  const room = MAX_REDELIVERED_BYTES - all.reduce((sum, row) => sum + bytesToday(row), 0);
  const sent = beginningUpTo(found, room);
  if (sent.length === 0) throw tooMuch(dayStart + DAY_MS - now);
  const untils = all
    .filter(({ url }) => originOf(url) === originOf(webhook.url))
    .map((row) => row.redeliverUntil?.getTime() ?? 0);
  const counts = {
    redeliveredAt: isInWindow ? webhook.redeliveredAt : new Date(now),
    redelivered: before + sent.length,
    redeliveredBytes: bytesToday(webhook) + bytesOf(sent),
  };
  return { begin: Math.max(now, Math.max(...untils) + SPACING_MS), sent, counts };
}

const bytesOf = (events: Found[]): number => events.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);

/** Returns the first events that fit into a number of bytes. */
function beginningUpTo(events: Found[], bytes: number): Found[] {
  let left = bytes;
  const end = events.findIndex(({ bodyBytes }) => (left -= bodyBytes) < 0);
  return end === -1 ? events : events.slice(0, end);
}

const originOf = (url: string): string => (url === POLL_URL ? '' : new URL(url).origin);

const limited = (message: string, waitMs: number): AppError =>
  new AppError('RATE_LIMITED', `${message}; try again in ${Math.ceil(waitMs / 1_000)} s`);

const tooSoon = (waitMs: number): AppError =>
  limited(
    `A webhook gets one redelivery of any size in ${REDELIVER_WINDOW_MS / 60_000} minutes, and others of up to ${FEW_REDELIVERED} events in all`,
    waitMs,
  );

const tooMuch = (waitMs: number): AppError =>
  limited(`At most ${MAX_REDELIVERED_BYTES / MIB} MiB of events are redelivered per day (UTC)`, waitMs);
