import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { AppError } from '../../common/base/app-error.js';
import { Logger } from '../../common/logging/logger.js';
import { type Counter, Metrics } from '../../common/metrics/metrics.js';
import { type KindOfTrace, TenantData } from '../../common/tenants/tenant-data.js';
import { type Sql, sql } from '../../common/database/sql/sql.js';
import { BackgroundJobs } from '../../common/jobs/background-jobs.js';
import { type Erased, PersonErasuresService, type StoredErasure } from './person-erasures.service.js';

const EVERY_MS = 5_000;
const isDue = (): Sql => sql`EXISTS (SELECT 1 FROM "PersonErasure" WHERE "endedAt" IS NULL)`;
/** Maximum duration of a run, less than its lease. */
const RUN_MS = 8_000;
/** Time per kind of data in one pass. Each pass covers every kind, so a slow one does not block the others. */
const KIND_MS = 1_000;
const MAX_ERASURES = 100;

/** Outcome of one pass over all kinds of data of an erasure. */
interface Pass {
  erased: number;
  isComplete: boolean;
  problem: string | null;
}

/**
 * Erases persons in passes of bounded, repeatable steps, so another node continues after a crash. An erasure ends when a pass after a quiet
 * time finds nothing: requests running at the time of its order have then ended.
 */
@Injectable()
export class PersonErasureJob {
  /** Last processed erasure, after which the next run continues. */
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
      help: 'Erasures of persons, by outcome: ok (nothing is left), failed (a step, which is retried)',
      labelNames: ['outcome'],
    });
    for (const outcome of ['ok', 'failed']) this.ended.inc({ outcome }, 0);
    data.addRows('erasures of persons', 'PersonErasure', 'id');
    jobs.add({ name: 'person-erasure', everyMs: EVERY_MS, due: isDue, run: (signal) => this.run(signal) });
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
    const pass = await this.pass(erasure, erased, signal);
    if (pass.isComplete && pass.erased === 0 && isQuiet) {
      await this.erasures.end(erasure);
      this.ended.inc({ outcome: 'ok' });
      this.logger.info({ tenantId, erasureId: id }, 'a person was erased');
    } else if (pass.erased > 0 || pass.problem !== erasure.problem) {
      await this.erasures.note(erasure, erased, pass.problem);
    }
  }

  /** Runs one pass. A kind of data that must wait does not block the others. */
  private async pass(erasure: StoredErasure, erased: Erased, signal: AbortSignal): Promise<Pass> {
    const pass: Pass = { erased: 0, isComplete: true, problem: null };
    for (const kind of this.data.traces) {
      const untilMs = performance.now() + KIND_MS;
      try {
        for (let more = true; more;) {
          if (signal.aborted) return { ...pass, isComplete: false };
          const step = await kind.erase(erasure.tenantId, erasure);
          pass.erased += step.erased;
          if (step.erased > 0) erased[kind.kind] = (erased[kind.kind] ?? 0) + step.erased;
          more = step.more && performance.now() < untilMs;
          if (step.more && !more) pass.isComplete = false;
        }
      } catch (error) {
        pass.isComplete = false;
        pass.problem ??= this.problemOf(erasure, kind, error);
      }
    }
    return pass;
  }

  private problemOf({ id, tenantId }: StoredErasure, { kind }: KindOfTrace, error: unknown): string {
    if (error instanceof AppError) return `${kind}: ${error.message}`;
    this.ended.inc({ outcome: 'failed' });
    this.logger.error({ err: error, tenantId, erasureId: id, kind }, 'a step of an erasure failed; it will be retried');
    return `${kind}: a step failed and will be retried; see the server log`;
  }
}
