import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { GroupedWrites } from '../../common/database/grouped-writes.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { asElement, insertLogs } from './document-log.queries.js';
import type { NewLog } from './log-row.js';

/** A statement takes no more callers once it has so many characters. */
const MAX_STATEMENT = 1024 * 1024;
/** PostgreSQL commits several at once; SQLite has one writer. */
const MAX_RUNNING_ON_POSTGRES = 4;

interface Element {
  json: string;
  /** In the order of which keys are taken. */
  key: string;
}

/** What one caller wants stored, at once or not at all. */
interface Waiting {
  elements: Element[];
  length: number;
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
  ) {
    this.groups = new GroupedWrites((group) => this.write(group), {
      maxRunning: config.isPostgres ? MAX_RUNNING_ON_POSTGRES : 1,
      maxLength: MAX_STATEMENT,
      lengthOf: ({ length }) => length,
      isCommonFault: isDatabaseUnavailable,
    });
  }

  /** Answers with how to tell whether one of them was stored; what was not had its key there already. */
  async store(rows: NewLog[]): Promise<(id: string) => boolean> {
    const elements = rows.map((row) => ({ json: asElement(row, this.config.isPostgres), key: keyOf(row) }));
    const length = elements.reduce((sum, { json }) => sum + json.length, 0);
    const waiting: Waiting = { elements, length, isStored: () => false };
    await this.groups.add(waiting);
    return waiting.isStored;
  }

  private async write(group: Waiting[]): Promise<void> {
    const elements = group.flatMap((one) => one.elements);
    const keyed = elements.some(({ key }) => key !== '');
    const json = (keyed ? inOrderOfKeys(elements) : elements).map((element) => element.json).join();
    const isStored = await insertLogs(this.prisma, this.config.isPostgres, { elements: json, keyed });
    for (const one of group) one.isStored = isStored;
  }
}

const keyOf = ({ idempotencyKey, tenantId }: NewLog): string => (idempotencyKey === null ? '' : `${idempotencyKey} ${tenantId}`);

/** Statements that wait for each other's keys would end in a deadlock if each took them in its own order. */
function inOrderOfKeys(elements: Element[]): Element[] {
  return elements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
