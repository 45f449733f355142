import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { inSlices, ownTurn } from '../../common/bounds/read-turns.js';
import { GroupedWrites } from '../../common/database/grouped-writes.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { asElement, insertLogs } from './document-log.queries.js';
import type { NewLog } from './log-row.js';
import { canonicalLog, Leaves } from './seals/leaves.js';

const RECORDS_A_TURN = 500;
/** A statement takes no more callers once it has so many characters. */
const MAX_STATEMENT = 1024 * 1024;
/** PostgreSQL commits several at once; SQLite has one writer. */
const MAX_RUNNING_ON_POSTGRES = 4;

/** What a record has beside its texts of any length, roughly. */
const OTHER_MEMBERS = 800;

/** What one caller wants stored, at once or not at all. */
interface Waiting {
  logs: NewLog[];
  /** Told with the commit that holds its records. */
  isStored: (id: string) => boolean;
}

/** Writes records, those of several callers in one statement. Each is answered after the commit that holds its records. */
@Injectable()
export class LogWriterService {
  private readonly groups: GroupedWrites<Waiting>;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly leaves: Leaves,
  ) {
    this.groups = new GroupedWrites((group) => this.write(group), {
      maxRunning: config.isPostgres ? MAX_RUNNING_ON_POSTGRES : 1,
      maxLength: MAX_STATEMENT,
      tenantOf: ({ logs }) => logs[0]?.tenantId ?? '',
      lengthOf: ({ logs }) => logs.reduce((sum, log) => sum + lengthOf(log), 0),
      isCommonFault: isDatabaseUnavailable,
    });
  }

  /** Answers with how to tell whether one of them was stored; what was not had its key there already. */
  async store(logs: NewLog[]): Promise<(id: string) => boolean> {
    const waiting: Waiting = { logs, isStored: () => false };
    await this.groups.add(waiting);
    return waiting.isStored;
  }

  private async write(group: Waiting[]): Promise<void> {
    const logs = group.flatMap((one) => one.logs);
    const keyed = logs.some(({ idempotencyKey }) => idempotencyKey !== null);
    const made = await inSlices(keyed ? inOrderOfKeys(logs) : logs, RECORDS_A_TURN, (log) => this.elementOf(log));
    if (made.length > RECORDS_A_TURN) await ownTurn(); // the statement is the longest piece
    const elements = made.join();
    const isStored = await insertLogs(this.prisma, this.config.isPostgres, { elements, keyed });
    for (const one of group) one.isStored = isStored;
  }

  /** Hashed here, one record after another, which takes half as long as each amid the work of its own request. */
  private elementOf(log: NewLog): string {
    const canonical = canonicalLog(log);
    return asElement(Object.assign(log, this.leaves.ofLog(log, canonical)), canonical, this.config.isPostgres);
  }
}

const lengthOf = ({ details, comment, custom1, custom2 }: NewLog): number =>
  details.length + (comment?.length ?? 0) + (custom1?.length ?? 0) + (custom2?.length ?? 0) + OTHER_MEMBERS;

const keyOf = ({ idempotencyKey, tenantId }: NewLog): string => (idempotencyKey === null ? '' : `${idempotencyKey} ${tenantId}`);

/** Statements that wait for each other's keys would end in a deadlock if each took them in its own order. */
function inOrderOfKeys(logs: NewLog[]): NewLog[] {
  const keyed = logs.map((log) => ({ log, key: keyOf(log) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ log }) => log);
}
