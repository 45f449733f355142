import { createHash } from 'node:crypto';
import { timeOfId } from '../../../common/base/ids.js';
import type { MessageCancelReason, MessageStatus } from './message-states.js';
import type { GlobalMessage, Message } from './message.model.js';
import { recipientOf } from '../models/recipient-key.js';

/** Primary key of a message. */
export interface MessageKey {
  tenantId: string;
  pushId: string;
  recipientKey: string;
}

/** Message as read. A copy of a global message has the text of the global message. */
export interface MessageRow {
  pushId: string;
  recipientKey: string;
  recipient: string | null;
  message: string;
  topic: string | null;
  status: MessageStatus;
  expiresAt: Date | null;
  deliveredAt: Date | null;
  cancelledAt: Date | null;
  cancelReason: MessageCancelReason | null;
  isGlobal: boolean;
}

export interface GlobalMessageRow {
  id: string;
  message: string;
  topic: string | null;
  expiresAt: Date | null;
  cancelledAt: Date | null;
}

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
