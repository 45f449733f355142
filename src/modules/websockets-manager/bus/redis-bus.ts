import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SharedScripts } from '../../../common/scheduling/rate-counter.js';
import type { RedisSettings } from '../../../common/config/settings/redis-settings.js';
import { NotYet } from '../../../common/health/readiness.js';
import { backOffMs } from '../../../common/jobs/back-off.js';
import type { Logger } from '../../../common/logging/logger.js';
import type { BusMetrics } from '../metrics/bus-metrics.js';
import {
  Bus,
  BusDown,
  type BusListener,
  type Envelope,
  type LocalConnections,
  type NamesWanted,
  type Presence,
  type RecipientNames,
} from './bus.js';
import { ANNOUNCE_MS, SILENT_ROUNDS } from '../models/limits.js';
import { presentIn, type Topics } from '../models/topics.js';
import { RedisLink } from './redis-link.js';
import { KEPT_SECONDS, Registry } from './registry.js';
import { TopicMembers } from './topic-members.js';

const NODES = 'platform-services:nodes';
const channelOf = (nodeId: string): string => `platform-services:to:${nodeId}`;

/** Interval at which the lease is renewed. */
const BEAT_MS = 2_000;
const SILENCE_MS = 6_000;
/** Time without a first link after which it is logged. */
const FIRST_LINK_MS = 5_000;
/** Time that a new connection waits for the bus. */
const LINK_WAIT_MS = 2_000;
/** Nodes that announced themselves within this time before an outage must reconnect after it. */
const REMEMBERED_MS = 30_000;
/** Time to wait for these nodes. */
const EXPECTED_MS = 15_000;
const RENEW_ALL_MS = 15 * 60_000;
const BACK_OFF = { first: 100, longest: 2_000 };

/** Bus over Redis: a channel per node, and a registry of connections. Also runs the scripts of counters shared by all nodes. */
export class RedisBus extends Bus implements SharedScripts {
  readonly nodeId = randomUUID();
  private readonly registry = new Registry(this.nodeId, () => this.presenceListener);
  private link: RedisLink | undefined;
  private listener: BusListener | undefined;
  /** Callbacks for the next open link. */
  private readonly linkWaiters = new Set<() => void>();
  /** Time of the last own announcement received, in milliseconds since 1970. */
  private announcedAt = 0;
  /** Time of that announcement on the monotonic clock. */
  private announcedTick = 0;
  private begunTick = 0;
  private readonly peers = new Map<string, number>();
  /** Number of own announcements received, and that number at the last announcement of each other node. */
  private round = 0;
  private readonly heardAt = new Map<string, number>();
  private readonly members = new TopicMembers(this.nodeId, KEPT_SECONDS, (move) => this.listener!.moved(move));
  /** Nodes that have not registered their connections again since the outage; undefined if no node is missing. */
  private missing: Set<string> | undefined;
  private closed = false;

  constructor(
    private readonly settings: RedisSettings,
    private readonly metrics: BusMetrics,
    private readonly logger: Logger,
  ) {
    super();
    metrics.busUp.set(0);
  }

  get isComplete(): boolean {
    return this.missing === undefined;
  }

  listen(listener: BusListener, here: LocalConnections): void {
    this.listener = listener;
    this.registry.here = here;
    this.members.here = here;
    this.begunTick = performance.now();
    void this.stayLinked();
  }

  async join(presence: Presence): Promise<void> {
    const link = await this.waitForLink();
    await this.registry.add(link, presence);
    if (presentIn(presence).length === 0) return;
    this.members.note(presence);
    await this.members.flush(link);
  }

  async leave(presence: Presence): Promise<void> {
    this.registry.depart(presence);
    if (presentIn(presence).length > 0) this.members.note(presence);
    if (this.link) await this.forgetDeparted(this.link).catch(ignoreDown);
  }

  async changeTopics(presence: Presence, before: Topics): Promise<void> {
    this.members.note(presence);
    await this.registry.changeTopics(this.workingLink(), presence, before);
    await this.members.flush(this.workingLink());
  }

  async elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]> {
    return this.registry.elsewhere(this.workingLink(), tenantId, recipients);
  }

  async recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames> {
    return this.registry.recipients(this.workingLink(), tenantId, wanted);
  }

  async topicRecipients(tenantId: string, topic: string, wanted: NamesWanted): Promise<RecipientNames> {
    return this.members.read(this.workingLink(), tenantId, topic, wanted);
  }

  async observers(tenantId: string): Promise<string[]> {
    return this.registry.observers(this.workingLink(), tenantId);
  }

  async lostRecipients(tenantId: string): Promise<string[]> {
    return this.registry.lostRecipients(this.workingLink(), tenantId);
  }

  async nodesWith(tenantId: string, topic: string | null): Promise<string[]> {
    return this.registry.nodesWith(this.workingLink(), tenantId, topic);
  }

  async send(nodeId: string, envelope: Envelope): Promise<void> {
    await this.workingLink().run((redis) => redis.publish(channelOf(nodeId), JSON.stringify(envelope)), 'PUBLISH');
  }

  async evaluate(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown> {
    return this.workingLink().run((redis) => redis.eval(script, options), 'EVAL');
  }

  async check(): Promise<void> {
    const isFirst = this.announcedAt === 0 && performance.now() - this.begunTick < FIRST_LINK_MS;
    if (!this.link && isFirst) throw new NotYet('the bus is not linked yet');
    this.workingLink();
    if (this.isSilent()) throw new BusDown('the bus does not return the messages of this node');
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.link) await this.registry.endLease(this.link).catch(ignoreDown);
    this.link?.destroy();
  }

  /** Maintains a link until this node stops, reopening it after each close. */
  private async stayLinked(): Promise<void> {
    let failures = 0;
    let since: number | undefined; // last time the bus was known to work; undefined before the first link
    while (!this.closed) {
      try {
        const link = await RedisLink.open(this.settings, [NODES, channelOf(this.nodeId)], (text, channel) =>
          this.receive(text, channel),
        );
        await this.registry.renewLease(link);
        await this.renewAll(link);
        await this.forgetDeparted(link);
        failures = 0;
        this.up(link, since);
        await this.keepAlive(link);
        since = this.announcedAt;
        this.down();
      } catch (error) {
        this.logger.warn({ err: error }, 'the bus cannot be reached');
      }
      await delay(backOffMs(failures++, BACK_OFF));
    }
  }

  private up(link: RedisLink, since: number | undefined): void {
    this.link = link;
    this.noteAnnouncement();
    this.metrics.busUp.set(1);
    for (const resolve of this.linkWaiters) resolve();
    this.linkWaiters.clear();
    if (since === undefined) return;
    this.logger.info('the bus is up again');
    this.missing = new Set([...this.peers].filter(([, seenAt]) => seenAt > since - REMEMBERED_MS).map(([nodeId]) => nodeId));
    this.peers.clear();
    const { missing } = this;
    setTimeout(() => this.complete(missing), EXPECTED_MS).unref();
    if (missing.size === 0) this.complete(missing);
    this.listener!.recovered(since);
  }

  private down(): void {
    this.link = undefined;
    this.missing = undefined;
    this.metrics.busUp.set(0);
    if (!this.closed) this.logger.warn('the bus is down');
  }

  /** Resolves once the link has ended. Closes it when this node stops receiving its own announcements. */
  private async keepAlive(link: RedisLink): Promise<void> {
    let renewed = performance.now();
    // Receiving its own announcement proves to a node that the bus works.
    const announce = async () => {
      if (this.isSilent()) return link.destroy();
      await link.run((redis) => redis.publish(NODES, this.nodeId));
    };
    const beat = async () => {
      const isKnown = await this.registry.renewLease(link);
      await this.forgetDeparted(link);
      await this.members.restore(link);
      if (isKnown && performance.now() - renewed < RENEW_ALL_MS) return;
      await this.renewAll(link);
      renewed = performance.now();
    };
    const timers = [repeat(announce, ANNOUNCE_MS, link), repeat(beat, BEAT_MS, link)];
    await link.ended;
    for (const timer of timers) clearInterval(timer);
  }

  /** Registers all connections of this node again. */
  private async renewAll(link: RedisLink): Promise<void> {
    await this.registry.renewAll(link);
    await this.members.renewAll(link);
  }

  private async forgetDeparted(link: RedisLink): Promise<void> {
    await this.registry.forgetDeparted(link);
    await this.members.flush(link);
  }

  private receive(text: string, channel: string): void {
    if (channel !== NODES) return this.listener!.receive(JSON.parse(text) as Envelope);
    if (text === this.nodeId) {
      this.noteAnnouncement();
      this.removeSilent();
    } else {
      this.peers.set(text, Date.now());
      this.heardAt.set(text, this.round);
    }
    if (this.missing?.delete(text) && this.missing.size === 0) this.complete(this.missing);
  }

  private noteAnnouncement(): void {
    this.announcedAt = Date.now();
    this.announcedTick = performance.now();
  }

  /**
   * Removes recipients of nodes that stopped responding from their topics. Counts own announcements instead of time: all nodes receive
   * announcements in the same order, so one that reads them late sees no silence.
   */
  private removeSilent(): void {
    this.round++;
    for (const [nodeId, round] of this.heardAt) {
      if (this.round - round < SILENT_ROUNDS) continue;
      this.heardAt.delete(nodeId);
      if (this.link) this.members.removeNode(this.link, nodeId).catch(ignoreDown);
    }
  }

  private isSilent(): boolean {
    return performance.now() - this.announcedTick > SILENCE_MS;
  }

  private complete(missing: Set<string>): void {
    if (this.missing !== missing) return;
    this.missing = undefined;
    this.listener!.complete();
  }

  private workingLink(): RedisLink {
    if (!this.link) throw new BusDown('the bus is down');
    return this.link;
  }

  private async waitForLink(): Promise<RedisLink> {
    if (this.link) return this.link;
    await new Promise<void>((resolve) => {
      this.linkWaiters.add(resolve);
      setTimeout(() => this.linkWaiters.delete(resolve) && resolve(), LINK_WAIT_MS);
    });
    return this.workingLink();
  }
}

/** Runs work now and at an interval. Ends the link after a failure. */
function repeat(work: () => Promise<void>, everyMs: number, link: RedisLink): NodeJS.Timeout {
  const safely = () => void work().catch(() => link.destroy());
  safely();
  return setInterval(safely, everyMs);
}

function ignoreDown(error: unknown): void {
  if (!(error instanceof BusDown)) throw error;
}
