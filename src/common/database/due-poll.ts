import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy, Optional } from '@nestjs/common';
import { everySecond } from '../scheduling/every-second.js';
import { Logger } from '../logging/logger.js';
import { type AllTenants, Database } from './database.js';
import type { Dialect } from './sql/dialect.js';
import { join, type Sql, sql } from './sql/sql.js';

interface Question {
  /** Returns a condition, or another value in SQL. Must be cheap, so an index must serve it. */
  ask: (dialect: Dialect) => Sql;
  /** Called with each result: 1 or 0 for a condition. */
  answered: (value: unknown) => void;
}

/** Polls the database on every node. One statement a second asks for all background work, so an idle node costs little. */
@Injectable()
export class DuePoll implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly everyTenant: AllTenants;
  private readonly questions: Question[] = [];
  private stop: (() => void) | undefined;
  private isPolling = false;
  private isStopping = false;
  private isFailing = false;

  constructor(
    database: Database,
    @Optional() @Inject(Logger) private readonly logger?: Logger,
  ) {
    this.everyTenant = database.acrossTenants('the poll looks for work of every tenant');
  }

  /** Adds a value to the poll. Services call it in their constructor, like `whenDue`. */
  add(question: Question): void {
    this.questions.push(question);
  }

  /** Calls `answered` every second with the result of a condition. */
  whenDue(condition: Question['ask'], answered: (isDue: boolean) => void): void {
    this.add({
      ask: (dialect) => sql`CASE WHEN ${condition(dialect)} THEN 1 ELSE 0 END`,
      answered: (value) => answered(Number(value) === 1),
    });
  }

  onApplicationBootstrap(): void {
    if (this.questions.length > 0) this.stop = everySecond(() => void this.poll());
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    this.stop?.();
  }

  private async poll(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      const values = this.questions.map(({ ask }) => sql`(${ask(this.everyTenant.dialect)})`);
      const [answers] = await this.everyTenant.$cells(sql`SELECT ${join(values)}`);
      this.isFailing = false;
      if (this.isStopping) return;
      for (const [index, { answered }] of this.questions.entries()) answered(answers![index]);
    } catch (error) {
      // Logged once: readiness reports a database that is down.
      if (!this.isFailing) this.logger?.warn({ err: error }, 'the database cannot be polled for work; trying again every second');
      this.isFailing = true;
    } finally {
      this.isPolling = false;
    }
  }
}
