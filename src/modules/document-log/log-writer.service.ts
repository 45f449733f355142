import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { isDatabaseUnavailable } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { asElement, insertLogs } from './document-log.queries.js';
import type { NewLogRow } from './log-row.js';

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
  resolve: (isStored: (id: string) => boolean) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes records, those of several callers in one statement: a commit waits for the disk, so callers that come while one
 * runs share the next. Each is answered after the commit that holds its records.
 */
@Injectable()
export class LogWriterService {
  private readonly waiting: Waiting[] = [];
  private readonly maxRunning: number;
  private running = 0;
  private scheduled = false;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {
    this.maxRunning = config.isPostgres ? MAX_RUNNING_ON_POSTGRES : 1;
  }

  /** Answers with how to tell whether one of them was stored; what was not had its key there already. */
  store(rows: NewLogRow[]): Promise<(id: string) => boolean> {
    const elements = rows.map((row) => ({ json: asElement(row, this.config.isPostgres), key: keyOf(row) }));
    const length = elements.reduce((sum, { json }) => sum + json.length, 0);
    return new Promise((resolve, reject) => {
      this.waiting.push({ elements, length, resolve, reject });
      this.schedule();
    });
  }

  /** After all that arrived in this turn of the event loop. */
  private schedule(): void {
    if (this.scheduled || this.running >= this.maxRunning || this.waiting.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.running++;
      void this.write(this.takeGroup()).finally(() => {
        this.running--;
        this.schedule();
      });
      this.schedule();
    });
  }

  private takeGroup(): Waiting[] {
    let total = 0;
    const end = this.waiting.findIndex(({ length }, index) => (total += length) > MAX_STATEMENT && index > 0);
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  /** What one caller's records fail with is not the others' fault, so each then gets a statement of its own. */
  private async write(group: Waiting[]): Promise<void> {
    try {
      const elements = group.flatMap((one) => one.elements);
      const keyed = elements.some(({ key }) => key !== '');
      const json = (keyed ? inOrderOfKeys(elements) : elements).map((element) => element.json).join();
      const isStored = await insertLogs(this.prisma, this.config.isPostgres, { elements: json, keyed });
      for (const { resolve } of group) resolve(isStored);
    } catch (error) {
      const alone = group.length === 1 || isDatabaseUnavailable(error);
      for (const one of group) await (alone ? one.reject(error) : this.write([one]));
    }
  }
}

const keyOf = ({ idempotencyKey, tenantId }: NewLogRow): string =>
  idempotencyKey === null ? '' : `${idempotencyKey} ${tenantId}`;

/** Statements that wait for each other's keys would end in a deadlock if each took them in its own order. */
function inOrderOfKeys(elements: Element[]): Element[] {
  return elements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
