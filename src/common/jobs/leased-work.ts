import { Injectable } from '@nestjs/common';
import { DuePoll } from '../database/due-poll.js';
import { Logger } from '../logging/logger.js';
import { type LeasedRow, LeasedRows, type Work } from './leased-rows.js';

/** Creates work on leased rows, triggered by the poll of this node. */
@Injectable()
export class LeasedWork {
  constructor(
    private readonly poll: DuePoll,
    private readonly logger: Logger,
  ) {}

  on<Row extends LeasedRow>(work: Work<Row>): LeasedRows<Row> {
    const rows = new LeasedRows(work, this.logger);
    this.poll.whenDue(work.mayBeDue, (mayBe) => mayBe && void rows.look());
    return rows;
  }
}
