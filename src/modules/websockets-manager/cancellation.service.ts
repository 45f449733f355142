import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { isId, lowestIdAt, timeOfId } from '../../common/ids/ids.js';
import { cancelGlobal, cancelParts, cancelPending } from './cancel.queries.js';
import { idOfPart, toGlobalMessage, toMessage } from './message-row.js';
import { MessageStatus } from './message-states.js';
import { type MessageKey, messageOf } from './messages.queries.js';
import type { GlobalMessage, Message } from './models/message.model.js';

/** Parts that are read or cancelled at once. */
const BATCH = 1_000;

/** Cancels what is PENDING. A confirmation at the same time and this are both one conditional write: the first of them counts. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** Answers with the message as it is then; once more for one that is cancelled already. */
  async cancel({ tenantId }: Caller, id: string): Promise<Message> {
    const key = isId(id) ? ((await this.ownKey(tenantId, id)) ?? (await this.partKey(tenantId, id))) : undefined;
    if (key) await cancelPending(this.prisma, this.config.isPostgres, key);
    const row = key && (await messageOf(this.prisma, this.config.isPostgres, key));
    if (!row) throw new AppError('NOT_FOUND', 'The message does not exist; cancelGlobalMessage takes the id of a global message');
    if (row.status === MessageStatus.DELIVERED) {
      throw new AppError(
        'FAILED_PRECONDITION',
        `The message was delivered at ${row.deliveredAt!.toISOString()} and cannot be cancelled`,
      );
    }
    return toMessage(row);
  }

  /** What was made of it for recipients is cancelled too, but for what they confirmed. */
  async cancelGlobal({ tenantId }: Caller, id: string): Promise<GlobalMessage> {
    if (isId(id)) await cancelGlobal(this.prisma, this.config.isPostgres, { tenantId, id });
    const row = isId(id) && (await this.prisma.globalMessage.findUnique({ where: { tenantId_id: { tenantId, id } } }));
    if (!row) throw new AppError('NOT_FOUND', 'The global message does not exist; cancelMessage takes the id of a message');
    if (!row.cancelledAt) {
      throw new AppError('FAILED_PRECONDITION', 'The time of the global message is over: nothing of it is PENDING any more');
    }
    const parts = { since: row.cancelledAt, of: { tenantId, id }, limit: BATCH };
    while ((await cancelParts(this.prisma, this.config.isPostgres, parts)) === BATCH);
    const { message, topic, expiresAt, cancelledAt } = row;
    return toGlobalMessage({ id, message, topic, expiresAt, cancelledAt });
  }

  /** Of a message that is no part: all rows of a push with recipients of its own have ids of their own. */
  private async ownKey(tenantId: string, pushId: string): Promise<MessageKey | undefined> {
    const row = await this.prisma.message.findFirst({
      where: { tenantId, pushId },
      select: { recipientKey: true, isGlobal: true },
    });
    return row && !row.isGlobal ? { tenantId, pushId, recipientKey: row.recipientKey } : undefined;
  }

  /** The ids of parts follow from those of their recipients, so those of the global messages of that millisecond are walked. */
  private async partKey(tenantId: string, id: string): Promise<MessageKey | undefined> {
    const at = timeOfId(id);
    const globals = await this.prisma.globalMessage.findMany({
      where: { tenantId, id: { gte: lowestIdAt(at), lt: lowestIdAt(at + 1) } },
      select: { id: true },
    });
    for (const { id: pushId } of globals) {
      for (let after = ''; ;) {
        const parts = await this.prisma.message.findMany({
          where: { tenantId, pushId, recipientKey: { gt: after } },
          orderBy: { recipientKey: 'asc' },
          select: { recipientKey: true },
          take: BATCH,
        });
        const found = parts.find(({ recipientKey }) => idOfPart(pushId, recipientKey) === id);
        if (found) return { tenantId, pushId, recipientKey: found.recipientKey };
        if (parts.length < BATCH) break;
        after = parts.at(-1)!.recipientKey;
      }
    }
    return undefined;
  }
}
