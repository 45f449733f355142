import { Injectable } from '@nestjs/common';
import { type AllTenantsTransaction, Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/base/app-error.js';
import { NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import type { CreateLogInput } from './log.inputs.js';
import { violationIn } from './violations.js';
import { LeafService } from '../records/leaf.service.js';
import { contentOf } from './log-record.js';
import { asElement, insertLogsWithin } from './log-writes.queries.js';

/** Writes log records of another service within its transaction. */
@Injectable()
export class LogRecorderService {
  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
  ) {}

  /** Stores records. Must be the last step of the transaction: on PostgreSQL the sealer waits for it. @throws BAD_USER_INPUT */
  async record(transaction: AllTenantsTransaction, tenantId: string, inputs: CreateLogInput[]): Promise<void> {
    const elements = inputs.map((input) => {
      const violation = violationIn(input);
      if (violation) throw badInput(violation.field, violation.message);
      const log = { ...contentOf(tenantId, input), ...NO_KEY };
      const { row, canonical } = this.leaves.newLog(log);
      return asElement(this.database.dialect, row, canonical);
    });
    if (elements.length > 0) await insertLogsWithin(transaction, this.database.dialect, elements.join());
  }
}
