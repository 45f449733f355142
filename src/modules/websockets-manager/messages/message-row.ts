import { createHash } from 'node:crypto';
import { timeOfId } from '../../../common/base/ids.js';
import { Columns, type RowOf } from '../../../common/database/sql/columns.js';
import type { GlobalMessageModel, MessageModel } from '../../../generated/sqlite/models.js';
import type { MessageCancelReason, MessageStatus } from './message-states.js';
import type { GlobalMessage, Message } from './message.model.js';
import { recipientOf } from '../models/recipient-key.js';

/** Primary key of a message. */
export interface MessageKey {
  tenantId: string;
  pushId: string;
  recipientKey: string;
}

interface Stored extends Omit<MessageModel, 'message' | 'status' | 'cancelReason'> {
  message: string;
  status: MessageStatus;
  cancelReason: MessageCancelReason | null;
}

export const MESSAGE = new Columns<Stored>('Message', {
  tenantId: 'key',
  pushId: 'key',
  recipientKey: 'text',
  recipient: 'text',
  message: 'long text',
  topic: 'text',
  status: 'key',
  expiresAt: 'time',
  sentAt: 'time',
  deliveredAt: 'time',
  cancelledAt: 'time',
  cancelReason: 'key',
  isGlobal: 'boolean',
  inbox: 'boolean',
  seenAt: 'time',
  readAt: 'time',
  archivedAt: 'time',
});

/** Columns of a message that callers see. */
export const LISTED_MESSAGE = MESSAGE.without('tenantId', 'sentAt');
/** Message as read. A copy of a global message has the text of the global message. */
export type MessageRow = RowOf<typeof LISTED_MESSAGE>;

export const GLOBAL_MESSAGE = new Columns<GlobalMessageModel>('GlobalMessage', {
  id: 'key',
  tenantId: 'key',
  message: 'long text',
  topic: 'text',
  expiresAt: 'time',
  cancelledAt: 'time',
});

/** Columns of a global message that callers see. */
export const LISTED_GLOBAL_MESSAGE = GLOBAL_MESSAGE.without('tenantId');
export type GlobalMessageRow = RowOf<typeof LISTED_GLOBAL_MESSAGE>;

export function toMessage({ pushId, recipientKey, recipient, isGlobal, ...row }: MessageRow): Message {
  return {
    ...row,
    id: isGlobal ? idOfCopy(pushId, recipientKey) : pushId,
    recipient: recipientOf(recipientKey, recipient),
    createdAt: new Date(timeOfId(pushId)),
    globalMessageId: isGlobal ? pushId : null,
  };
}

export function toGlobalMessage(row: GlobalMessageRow): GlobalMessage {
  return { ...row, createdAt: new Date(timeOfId(row.id)) };
}

/**
 * Derives the id of a recipient's copy of a global message: a UUIDv7 with the time of the global message, and a hash of both in place of
 * random bits.
 */
export function idOfCopy(globalMessageId: string, recipientKey: string): string {
  const hash = createHash('sha256').update(globalMessageId).update(recipientKey).digest('hex');
  const variant = ((parseInt(hash[15]!, 16) & 3) | 8).toString(16);
  return `${globalMessageId.slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(3, 6)}-${hash.slice(16, 28)}`;
}
