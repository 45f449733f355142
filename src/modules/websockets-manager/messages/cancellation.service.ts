import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { isId, lowestIdAt, timeOfId } from '../../../common/base/ids.js';
import { FallbacksService } from '../fallbacks/fallbacks.service.js';
import { cancelCopiesStatement, cancelGlobal, cancelStatement } from './cancel.queries.js';
import { idOfCopy, type MessageKey, toGlobalMessage, toMessage } from './message-row.js';
import { MessageSettlementsService } from './message-settlements.service.js';
import { MessageStatus, TRANSITIONS } from './message-states.js';
import { findMessage } from './messages.queries.js';
import type { GlobalMessage, Message } from './message.model.js';
import { UnreadNoticesService } from '../recipients/unread-notices.service.js';
import { MESSAGES_PER_STATEMENT } from '../models/limits.js';

/**
 * Cancels PENDING messages. Cancelling and confirming are conditional updates: the first to commit wins. Broadcasts thus need no lock.
 * MessageSweeper cancels copies of a cancelled global message recorded later.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly database: Database,
    private readonly settlements: MessageSettlementsService,
    private readonly fallbacks: FallbacksService,
    private readonly notices: UnreadNoticesService,
  ) {}

  /** Cancels a message and returns it. Idempotent. */
  async cancel({ tenantId }: Caller, id: string): Promise<Message> {
    const key = isId(id) ? ((await this.ownKey(tenantId, id)) ?? (await this.copyKey(tenantId, id))) : undefined;
    if (key) await this.settlements.cancel(tenantId, cancelStatement(this.database.dialect, key));
    const row = key && (await findMessage(this.database, key));
    if (!row) throw new AppError('NOT_FOUND', 'The message does not exist; for a global message, call cancelGlobalMessage');
    if (row.status === MessageStatus.DELIVERED) {
      throw new AppError(
        'FAILED_PRECONDITION',
        `The message was delivered at ${row.deliveredAt!.toISOString()} and cannot be cancelled`,
      );
    }
    const { isGlobal, pushId, cancelReason } = row;
    // A message that could not wait was CANCELLED before, but its fallback waits. FallbacksJob reads cancellations by the caller.
    if (!isGlobal && cancelReason !== TRANSITIONS.cancelled.reason) await this.fallbacks.withdraw(tenantId, pushId);
    const message = Object.assign(toMessage(row), { fallbackOf: this.fallbacks.loaderOf(tenantId, [row]) });
    if (row.inbox) await this.notices.tell(tenantId, [message.recipient]);
    return message;
  }

  /** Cancels a global message and its messages to recipients, except those that recipients have confirmed. */
  async cancelGlobal({ tenantId }: Caller, id: string): Promise<GlobalMessage> {
    if (isId(id)) await cancelGlobal(this.database, { tenantId, id });
    const row =
      isId(id) && (await this.database.of(tenantId).globalMessage.findUnique({ where: { tenantId_id: { tenantId, id } } }));
    if (!row)
      throw new AppError('NOT_FOUND', 'The global message does not exist; for a message to one recipient, call cancelMessage');
    if (!row.cancelledAt) {
      throw new AppError('FAILED_PRECONDITION', 'The global message cannot be cancelled: none of its messages is still PENDING');
    }
    const copies = { since: row.cancelledAt, globalMessage: { tenantId, id }, limit: MESSAGES_PER_STATEMENT };
    const statement = cancelCopiesStatement(this.database.dialect, copies);
    while ((await this.settlements.cancel(tenantId, statement)) === MESSAGES_PER_STATEMENT);
    const { message, topic, expiresAt, cancelledAt } = row;
    return toGlobalMessage({ id, message, topic, expiresAt, cancelledAt });
  }

  /** Finds a message to a named recipient. Its id equals that of its push. */
  private async ownKey(tenantId: string, pushId: string): Promise<MessageKey | undefined> {
    const row = await this.database.of(tenantId).message.findFirst({
      where: { pushId },
      select: { recipientKey: true, isGlobal: true },
    });
    return row && !row.isGlobal ? { tenantId, pushId, recipientKey: row.recipientKey } : undefined;
  }

  /**
   * Finds a copy of a global message by its id, derived from the global message and the recipient. Tries all copies of the global messages
   * created in the same millisecond.
   */
  private async copyKey(tenantId: string, id: string): Promise<MessageKey | undefined> {
    const at = timeOfId(id);
    const own = this.database.of(tenantId);
    const globals = await own.globalMessage.findMany({
      where: { id: { gte: lowestIdAt(at), lt: lowestIdAt(at + 1) } },
      select: { id: true },
    });
    for (const { id: pushId } of globals) {
      for (let after = ''; ;) {
        const copies = await own.message.findMany({
          where: { pushId, recipientKey: { gt: after } },
          orderBy: { recipientKey: 'asc' },
          select: { recipientKey: true },
          take: MESSAGES_PER_STATEMENT,
        });
        const found = copies.find(({ recipientKey }) => idOfCopy(pushId, recipientKey) === id);
        if (found) return { tenantId, pushId, recipientKey: found.recipientKey };
        if (copies.length < MESSAGES_PER_STATEMENT) break;
        after = copies.at(-1)!.recipientKey;
      }
    }
    return undefined;
  }
}
