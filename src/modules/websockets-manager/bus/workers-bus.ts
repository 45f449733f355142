import { NoAnswer, type Siblings, type SiblingsWatcher } from '../../../common/processes/siblings.js';
import type { BusMetrics } from '../metrics/bus-metrics.js';
import { Bus, BusDown, type BusListener, type Envelope, type NamesWanted, type Presence, type RecipientNames } from './bus.js';
import { firstNames, type PresenceKey, Presences } from './presences.js';

/** How many connections one letter tells of. */
const BATCH = 500;
/** How long news gather after a letter; a letter costs as much as many connections. */
const GATHER_MS = 20;

/** Connections that began and ended, in this order. */
interface News {
  joined: Presence[];
  left: PresenceKey[];
}

/**
 * The bus between the workers of one node. Each worker tells the others of its connections, so that every worker finds all of
 * them in its own memory. A worker that starts asks the others for theirs; those of a worker that ends go with it.
 */
export class WorkersBus extends Bus implements SiblingsWatcher {
  readonly nodeId: string;
  private readonly here = new Presences();
  private readonly elsewhereBy = new Map<number, Presences>();
  /** Workers that have not told of all their connections; undefined before the first news of other workers. */
  private missing: Set<number> | undefined;
  private listener: BusListener | undefined;
  private news: News = { joined: [], left: [] };
  private spreading: Promise<void> | undefined;
  private toldAt = -Infinity;

  constructor(
    private readonly siblings: Siblings,
    private readonly metrics: BusMetrics,
  ) {
    super();
    this.nodeId = String(siblings.id);
    siblings.on('bus', (envelope: Envelope) => this.listener!.receive(envelope));
    siblings.on('bus-news', (news: News, from) => this.learn(from, news));
    siblings.on('bus-presences', (_: null, from) => this.tellAll(from));
    siblings.on('bus-check', () => true);
  }

  get isComplete(): boolean {
    return this.missing?.size === 0;
  }

  listen(listener: BusListener): void {
    this.listener = listener;
    this.siblings.watch(this);
  }

  async join(presence: Presence): Promise<void> {
    this.here.add(presence);
    this.news.joined.push(presence);
    await this.spread();
  }

  async leave({ tenantId, recipient, connectionId }: Presence): Promise<void> {
    const key = { tenantId, recipient, connectionId };
    this.here.remove(key);
    this.news.left.push(key);
    await this.spread().catch(ignoreDown); // a worker that missed it asks for all connections again
  }

  async elsewhere(tenantId: string, recipients: string[]): Promise<Presence[]> {
    const others = [...this.others()];
    return recipients.flatMap((recipient) => others.flatMap(([, presences]) => [...presences.of(tenantId, recipient)]));
  }

  async recipients(tenantId: string, wanted: NamesWanted): Promise<RecipientNames> {
    const all = [this.here, ...[...this.others()].map(([, presences]) => presences)];
    let count = 0;
    const each = function* (): Generator<string> {
      for (const [index, presences] of all.entries()) {
        for (const name of presences.names(tenantId)) {
          if (all.slice(0, index).some((earlier) => earlier.has(tenantId, name))) continue;
          count++;
          yield name;
        }
      }
    };
    return { names: firstNames(each(), wanted), count };
  }

  async nodesWith(tenantId: string, topic: string | null): Promise<string[]> {
    return [...this.others()].filter(([, presences]) => presences.hasTopic(tenantId, topic)).map(([id]) => String(id));
  }

  async send(nodeId: string, envelope: Envelope): Promise<void> {
    await this.siblings.send(Number(nodeId), 'bus', envelope).catch(asDown);
  }

  async check(): Promise<void> {
    this.others();
    await this.siblings.ask(this.siblings.id, 'bus-check').catch(asDown);
  }

  /** Tells the others at once; they would only learn it once this process has ended. */
  async close(): Promise<void> {
    for (const presence of this.here) this.news.left.push(presence);
    await this.spread().catch(ignoreDown);
  }

  changed(others: ReadonlySet<number>): void {
    for (const id of this.elsewhereBy.keys()) if (!others.has(id)) this.elsewhereBy.delete(id);
    for (const id of others) if (!this.elsewhereBy.has(id)) this.elsewhereBy.set(id, new Presences());
    // A worker that starts later has no connections yet, and tells of each.
    if (!this.missing) void this.ask(others);
  }

  lost(sinceMs: number): void {
    const others = new Set(this.elsewhereBy.keys());
    for (const id of others) this.elsewhereBy.set(id, new Presences());
    void this.ask(others).then(() => this.listener!.recovered(sinceMs));
  }

  /** Asks workers for all their connections, until each has told of them or ended. */
  private async ask(ids: ReadonlySet<number>): Promise<void> {
    const missing = new Set(ids);
    this.missing = missing;
    this.metrics.busUp.set(0);
    await Promise.all([...ids].map((id) => this.askOne(id, missing)));
    if (this.missing !== missing) return;
    this.metrics.busUp.set(1);
    this.listener!.complete();
  }

  private async askOne(id: number, missing: Set<number>): Promise<void> {
    while (this.elsewhereBy.has(id) && missing.has(id)) {
      try {
        await this.siblings.ask(id, 'bus-presences');
        missing.delete(id);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
    }
    missing.delete(id);
  }

  private learn(from: number, { joined, left }: News): void {
    const presences = this.elsewhereBy.get(from);
    for (const presence of joined) presences?.add(presence);
    for (const key of left) presences?.remove(key);
  }

  /** Tells in batches, each of connections that are open when it is sent. */
  private async tellAll(to: number): Promise<void> {
    let joined: Presence[] = [];
    for (const presence of this.here) {
      joined.push(presence);
      if (joined.length < BATCH) continue;
      const batch = joined;
      joined = [];
      await this.siblings.send(to, 'bus-news', { joined: batch, left: [] });
    }
    await this.siblings.send(to, 'bus-news', { joined, left: [] });
  }

  /** Tells the others in one letter what happened in this turn of the event loop, or for longer after another letter. */
  private spread(): Promise<void> {
    this.spreading ??= this.gathered().then(() => {
      const { news } = this;
      this.news = { joined: [], left: [] };
      this.spreading = undefined;
      this.toldAt = performance.now();
      return this.tell(news);
    });
    return this.spreading;
  }

  private gathered(): Promise<void> {
    const ms = this.toldAt + GATHER_MS - performance.now();
    return new Promise((resolve) => (ms > 0 ? setTimeout(resolve, ms) : setImmediate(resolve)));
  }

  private async tell(news: News): Promise<void> {
    const known = this.siblings.others;
    await Promise.all(
      known.map((id) =>
        this.siblings.ask(id, 'bus-news', news).catch((error: Error) => {
          if (this.siblings.others.includes(id)) return asDown(error);
        }),
      ),
    );
  }

  private others(): Map<number, Presences> {
    if (!this.isComplete) throw new BusDown('the other workers have not told of all their connections');
    return this.elsewhereBy;
  }
}

function asDown(error: Error): never {
  throw new BusDown('the other workers do not answer', { cause: error });
}

function ignoreDown(error: unknown): void {
  if (!(error instanceof BusDown)) throw error;
}
