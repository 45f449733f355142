import { createHash } from 'node:crypto';
import { timeOfId } from '../../common/ids/ids.js';
import type { MessageStatus } from './message-states.js';
import type { GlobalMessage, Message } from './models/message.model.js';
import { recipientOf } from './recipient-key.js';

/** A message as it is read: its text comes from its global message, where it has one. */
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
    id: isGlobal ? idOfPart(pushId, recipientKey) : pushId,
    recipient: recipientOf(recipientKey, recipient),
    createdAt: new Date(timeOfId(pushId)),
    globalMessageId: isGlobal ? pushId : null,
  };
}

export function toGlobalMessage(row: GlobalMessageRow): GlobalMessage {
  return { ...row, createdAt: new Date(timeOfId(row.id)) };
}

/** The id of one recipient's part: the time of the global message, then what is told by both instead of by chance (UUIDv7). */
export function idOfPart(globalMessageId: string, recipientKey: string): string {
  const hash = createHash('sha256').update(globalMessageId).update(recipientKey).digest('hex');
  const variant = ((parseInt(hash[15]!, 16) & 3) | 8).toString(16);
  return `${globalMessageId.slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(3, 6)}-${hash.slice(16, 28)}`;
}
