import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { AppError } from '../../common/errors/app-error.js';
import { Logger } from '../../common/logging/logger.js';
import { type Counter, Metrics } from '../../common/metrics/metrics.js';
import { type KindOfTrace, TenantData } from '../../common/tenants/tenant-data.js';
import { BackgroundJobs } from '../../common/jobs/background-jobs.js';
import { type Erased, PersonErasuresService, type StoredErasure } from './administration/person-erasures.service.js';

const EVERY_MS = 5_000;
/** A run ends before its lease does. */
const RUN_MS = 8_000;
/** How long a turn works for one kind. Each kind has a step in each turn, so a slow one holds up no other. */
const KIND_MS = 1_000;
const MAX_ERASURES = 100;

/** Outcome of a turn. */
interface Turn {
  erased: number;
  isComplete: boolean;
  problem: string | null;
}

/**
 * Erases persons in bounded steps and turns. Each step can be repeated, so after a crash another node goes on. An erasure ends
 * once nothing is found after a quiet time: by then, requests that were under way when it was ordered have ended.
 */
@Injectable()
export class PersonErasureJob {
  /** The erasure after which the next run goes on. */
  private after = '';
  private readonly ended: Counter<'outcome'>;

  constructor(
    private readonly erasures: PersonErasuresService,
    private readonly data: TenantData,
    private readonly config: Config,
    private readonly logger: Logger,
    jobs: BackgroundJobs,
    metrics: Metrics,
  ) {
    this.ended = metrics.counter({
      name: 'person_erasures_total',
      help: 'Erasures of persons, by outcome: ok (nothing is left), failed (a turn, which is tried again)',
      labelNames: ['outcome'],
    });
    for (const outcome of ['ok', 'failed']) this.ended.inc({ outcome }, 0);
    data.addRows('erasures of persons', 'PersonErasure', 'id');
    jobs.add({ name: 'person-erasure', everyMs: EVERY_MS, run: (signal) => this.run(signal) });
  }

  async run(signal: AbortSignal): Promise<void> {
    const startedAtMs = performance.now();
    const found = await this.erasures.running({ after: this.after, limit: MAX_ERASURES });
    for (const erasure of found) {
      if (signal.aborted || performance.now() - startedAtMs > RUN_MS) return;
      await this.goOn(erasure, signal);
      this.after = erasure.id;
    }
    if (found.length < MAX_ERASURES) this.after = '';
  }

  private async goOn(erasure: StoredErasure, signal: AbortSignal): Promise<void> {
    const { id, tenantId, createdAt } = erasure;
    const erased: Erased = { ...erasure.erased };
    const isQuiet = Date.now() - createdAt.getTime() >= this.config.tenantDeletionQuietMs;
    const turn = await this.turn(erasure, erased, signal);
    if (turn.isComplete && turn.erased === 0 && isQuiet) {
      await this.erasures.end(erasure);
      this.ended.inc({ outcome: 'ok' });
      this.logger.info({ tenantId, erasureId: id }, 'a person was erased');
    } else if (turn.erased > 0 || turn.problem !== erasure.problem) {
      await this.erasures.note(erasure, erased, turn.problem);
    }
  }

  /** Looks through all kinds. One that must wait holds up no other. */
  private async turn(erasure: StoredErasure, erased: Erased, signal: AbortSignal): Promise<Turn> {
    const turn: Turn = { erased: 0, isComplete: true, problem: null };
    for (const kind of this.data.traces) {
      const untilMs = performance.now() + KIND_MS;
      try {
        for (let more = true; more;) {
          if (signal.aborted) return { ...turn, isComplete: false };
          const step = await kind.erase(erasure.tenantId, erasure);
          turn.erased += step.erased;
          if (step.erased > 0) erased[kind.kind] = (erased[kind.kind] ?? 0) + step.erased;
          more = step.more && performance.now() < untilMs;
          if (step.more && !more) turn.isComplete = false;
        }
      } catch (error) {
        turn.isComplete = false;
        turn.problem ??= this.problemOf(erasure, kind, error);
      }
    }
    return turn;
  }

  private problemOf({ id, tenantId }: StoredErasure, { kind }: KindOfTrace, error: unknown): string {
    if (error instanceof AppError) return `${kind}: ${error.message}`;
    this.ended.inc({ outcome: 'failed' });
    this.logger.error({ err: error, tenantId, erasureId: id, kind }, 'a step of an erasure failed; it will be tried again');
    return `${kind}: a step failed, and is tried again; the log of the server says why`;
  }
}
