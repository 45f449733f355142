import { Injectable } from '@nestjs/common';
import { Database, type Statements } from '../../../common/database/database.js';
import { sql } from '../../../common/database/sql/sql.js';
import { AppError } from '../../../common/errors/app-error.js';

const SALTED = 2;
/** How long a node may go on with plain leaves; both kinds are verified meanwhile. */
const KNOWN_MS = 5_000;

/** Knows whether new leaves are salted, which they are for good once all nodes can verify them. */
@Injectable()
export class LogFormatService {
  private salted = false;
  private askedAt = -Infinity;

  constructor(private readonly database: Database) {}

  /** Within a transaction, asks in that. */
  async isSalted(within: Statements = this.database): Promise<boolean> {
    if (this.salted || performance.now() - this.askedAt < KNOWN_MS) return this.salted;
    const rows = await within.$queryRaw<{ leafVersion: number }[]>(sql`SELECT "leafVersion" FROM "LogFormat"`);
    this.salted = rows.some(({ leafVersion }) => Number(leafVersion) >= SALTED);
    this.askedAt = performance.now();
    return this.salted;
  }

  /** Salts new leaves from now on: other nodes within 5 seconds. Nodes of release 0.1.0 cannot verify them. */
  async salt(): Promise<void> {
    await this.database.$executeRaw(sql`UPDATE "LogFormat" SET "leafVersion" = ${SALTED} WHERE "leafVersion" < ${SALTED}`);
    this.salted = true;
  }

  /** @throws FAILED_PRECONDITION while nodes of release 0.1.0 may take an erased or removed record for a changed one */
  async mustBeSalted(): Promise<void> {
    if (await this.isSalted()) return;
    throw new AppError(
      'FAILED_PRECONDITION',
      'The log may be read by nodes of release 0.1.0; once all nodes are newer, run: platform-services log salt',
    );
  }
}
