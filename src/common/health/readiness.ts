import { Injectable } from '@nestjs/common';
import { type Service, SERVICES } from '../auth/scopes.js';
import { inTime } from '../base/in-time.js';
import { Database } from '../database/database.js';
import { sql } from '../database/sql/sql.js';
import { Logger } from '../logging/logger.js';
import { type Gauge, Metrics } from '../metrics/metrics.js';

const CHECK_TIMEOUT_MS = 2_000;

/** State of a check or service. `degraded` means that part of the work fails. */
export type State = 'ok' | 'degraded' | 'unavailable';

/**
 * Check of a dependency. Rejects while the work that needs it cannot be done, and with `Degraded` while only part of it can.
 */
export type HealthCheck = () => Promise<unknown>;

/** Fault with which a service still works in part. */
export class Degraded extends Error {}

/** Rejection of a dependency still connecting for the first time: the check fails, but nothing is logged. */
export class NotYet extends Error {}

export interface Health {
  status: State;
  checks: Record<string, State>;
}

export interface NodeHealth extends Health {
  services: Record<Service, State>;
}

class Check {
  state: State = 'ok';
  /** State logged last. */
  private lastLogged: State = 'ok';
  private running: Promise<State> | undefined;

  constructor(
    readonly name: string,
    /** Service that cannot work while the check fails, or the whole node. */
    readonly neededBy: Service | 'node',
    private readonly run: HealthCheck,
    private readonly logger: Logger,
    private readonly gauge: Gauge<'check'>,
  ) {}

  /** Runs the check once for all concurrent callers. Settles within 2 s, and never rejects. */
  read(): Promise<State> {
    this.running ??= this.attempt().finally(() => (this.running = undefined));
    return this.running;
  }

  private async attempt(): Promise<State> {
    try {
      await inTime(this.run(), CHECK_TIMEOUT_MS, 'no answer');
      this.become('ok');
    } catch (error) {
      this.become(error instanceof Degraded ? 'degraded' : 'unavailable', error);
    }
    return this.state;
  }

  /**
   * Logs changes only, since load balancers ask several times a second. Logs no stack: it would only show the caller of the check.
   */
  private become(state: State, error?: unknown): void {
    this.gauge.set({ check: this.name }, state === 'ok' ? 1 : 0);
    this.state = state;
    if (state === this.lastLogged || error instanceof NotYet) return;
    this.lastLogged = state;
    if (state === 'ok') this.logger.info({ check: this.name }, 'ready again');
    else this.logger.warn({ reason: (error as Error).message, check: this.name, state }, 'not ready');
  }
}

/**
 * Checks the dependencies of this node. While a check of the node itself fails, such as that of its database, nothing works; a failed
 * check of one service leaves all others working. No library, since the wiring of @nestjs/terminus is longer.
 */
@Injectable()
export class Readiness {
  private readonly checks: Check[] = [];
  private readonly partialNeeds = new Map<Service, string[]>();
  private stopping = false;
  private readonly gauge: Gauge<'check'>;

  constructor(
    database: Database,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge({
      name: 'health_check_ok',
      aggregator: 'min',
      help: '1 while a check of /health/ready is ok, 0 while it is degraded or unavailable',
      labelNames: ['check'],
    });
    metrics.beforeReading(async () => void (await this.read()));
    this.add('database', 'node', () => checkDatabase(database));
  }

  /** Adds a check that a service, or the whole node, cannot work without. Names must be unique. */
  add(name: string, neededBy: Service | 'node', check: HealthCheck): void {
    this.checks.push(new Check(name, neededBy, check, this.logger, this.gauge));
  }

  /** Marks the service as degraded while one of these checks of other services fails, since part of its work needs them. */
  addPartialNeeds(service: Service, ...names: string[]): void {
    this.partialNeeds.set(service, names);
  }

  /** Reports the node as unavailable from now on, so that it gets no new work. */
  stop(): void {
    this.stopping = true;
  }

  onModuleDestroy(): void {
    this.stop();
  }

  /** Returns the state of the whole node: unavailable if no service works, degraded if some do not. */
  async read(): Promise<NodeHealth> {
    const checks = await this.run(this.checks);
    const services = Object.fromEntries(SERVICES.map((service) => [service, this.stateOf(service, checks)] as const));
    const status = worst([this.stateOf('node', checks), ...Object.values(checks).map(atMostDegraded)]);
    return { status, checks, services: services as Record<Service, State> };
  }

  /** Runs only the checks that the service needs, without waiting for others. */
  async readService(service: Service): Promise<Health> {
    const partial = this.partialNeeds.get(service) ?? [];
    const checks = await this.run(
      this.checks.filter(({ name, neededBy }) => neededBy === 'node' || neededBy === service || partial.includes(name)),
    );
    return { status: this.stateOf(service, checks), checks };
  }

  private async run(checks: Check[]): Promise<Record<string, State>> {
    if (this.stopping) return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    return Object.fromEntries(await Promise.all(checks.map(async (check) => [check.name, await check.read()] as const)));
  }

  private stateOf(part: Service | 'node', states: Record<string, State>): State {
    if (this.stopping) return 'unavailable';
    const needed = this.checks.filter(({ neededBy }) => neededBy === 'node' || neededBy === part);
    const partial = part === 'node' ? [] : (this.partialNeeds.get(part) ?? []);
    return worst([...needed.map(({ name }) => states[name]!), ...partial.map((name) => atMostDegraded(states[name] ?? 'ok'))]);
  }
}

/**
 * Checks the database. Degraded while it is read-only: a standby behind a pooler, or a server set so by an operator or a full disk.
 */
async function checkDatabase(database: Database): Promise<void> {
  const isReadOnly = database.dialect.pick({
    sqlite: sql`SELECT 0`,
    postgresql: sql`SELECT current_setting('transaction_read_only') = 'on'`,
  });
  await database.checkCommits();
  const [row] = await database.acrossTenants('it reads no table').$cells(isReadOnly);
  if (row![0]) throw new Degraded('the database accepts no changes');
}

const atMostDegraded = (state: State): State => (state === 'ok' ? 'ok' : 'degraded');

function worst(states: State[]): State {
  if (states.includes('unavailable')) return 'unavailable';
  return states.includes('degraded') ? 'degraded' : 'ok';
}
