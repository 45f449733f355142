import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DuePoll } from '../database/due-poll.js';
import { sql } from '../database/sql/sql.js';
import { BackgroundJobs } from '../jobs/background-jobs.js';
import { type AccessToken, MAX_TOKEN_SECONDS } from './access-tokens.js';
import { cutoffsAfter } from './cutoffs.queries.js';

/** Rereads cutoffs of the last minute: clocks of nodes differ, and a commit may be late. */
const OVERLAP_MS = 60_000;
const LIFETIME_MS = 1_000 * MAX_TOKEN_SECONDS;
const EXPIRE_EVERY_MS = 3_600_000;

/**
 * Caches the cutoffs of tokens, so that checking one needs no query. Rereads the latest ones when the poll finds any. While the
 * database is unavailable, the last result applies.
 */
@Injectable()
export class TokenCutoffs implements OnModuleInit {
  private readonly cutoffs = new Map<string, number>();
  /** Time up to which all cutoffs are known, but for the overlap. */
  private readUntil = 0;

  constructor(
    private readonly database: Database,
    poll: DuePoll,
    jobs: BackgroundJobs,
  ) {
    let askedAt = 0;
    poll.whenDue(
      (dialect) => {
        askedAt = Date.now();
        return sql`EXISTS (SELECT 1 FROM "AccessCutoff" WHERE "at" > ${dialect.time(this.overlapStart())})`;
      },
      (areAny) => {
        if (areAny)
          void this.read().catch(() => undefined); // readiness reports the database
        else this.readUntil = askedAt;
      },
    );
    jobs.add({ name: 'access-cutoff-expiry', everyMs: EXPIRE_EVERY_MS, run: () => this.removeOld() });
  }

  /** Loads the cutoffs before the node listens. */
  async onModuleInit(): Promise<void> {
    this.readUntil = Date.now() - LIFETIME_MS;
    await this.read();
  }

  /** Returns whether a token was issued before a cutoff. */
  hasEnded({ subjects, issuedAt }: AccessToken): boolean {
    if (this.cutoffs.size === 0) return false;
    return subjects.some((subject) => issuedAt <= (this.cutoffs.get(subject) ?? 0));
  }

  /** Reads new cutoffs. Called after a denial, so that it applies at once on the node that answers. */
  async read(): Promise<void> {
    const startedAt = Date.now();
    for (const [subject, at] of await cutoffsAfter(this.database, this.overlapStart())) this.cutoffs.set(subject, at);
    for (const [subject, at] of this.cutoffs) if (at < startedAt - LIFETIME_MS) this.cutoffs.delete(subject);
    this.readUntil = startedAt;
  }

  private overlapStart(): Date {
    return new Date(this.readUntil - OVERLAP_MS);
  }

  /** Removes cutoffs that no valid token is older than. */
  private async removeOld(): Promise<void> {
    const { accessCutoff } = this.database.acrossTenants('old cutoffs of every tenant are removed');
    await accessCutoff.deleteMany({ where: { at: { lt: new Date(Date.now() - LIFETIME_MS) } } });
  }
}
