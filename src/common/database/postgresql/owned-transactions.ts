import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { databaseSilent } from '../../base/database-faults.js';

const ENDS = new Set(['COMMIT', 'ROLLBACK']);

/**
 * Makes transactions of a driver refuse statements after their COMMIT or ROLLBACK. The client rolls a transaction back after its
 * time limit, possibly between two statements of one operation. The rest would run outside of the transaction, or in that of the
 * next user of the connection.
 */
export function refuseAfterEnd(driver: SqlDriverAdapter): void {
  const start = driver.startTransaction.bind(driver);
  driver.startTransaction = async (level) => refusing(await start(level));
}

function refusing(transaction: Transaction): Transaction {
  let hasEnded = false;
  const query = transaction.queryRaw.bind(transaction);
  const execute = transaction.executeRaw.bind(transaction);
  const judge = (text: string): void => {
    if (hasEnded) throw databaseSilent('The transaction exceeded its time limit');
    hasEnded = ENDS.has(text);
  };
  transaction.queryRaw = async (statement) => (judge(statement.sql), query(statement));
  transaction.executeRaw = async (statement) => (judge(statement.sql), execute(statement));
  return transaction;
}
