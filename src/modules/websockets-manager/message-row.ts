import { timeOfId } from '../../common/ids/ids.js';
import type { MessageStatus } from './message-states.js';
import type { GlobalMessage, Message } from './models/message.model.js';
import { recipientOf } from './recipient-key.js';

/** A message as it is read: its text comes from its global message, where it has one. */
export interface MessageRow {
  id: string;
  recipientKey: string;
  recipient: string | null;
  message: string;
  topic: string | null;
  status: MessageStatus;
  expiresAt: Date | null;
  deliveredAt: Date | null;
  cancelledAt: Date | null;
  globalMessageId: string | null;
}

export interface GlobalMessageRow {
  id: string;
  message: string;
  topic: string | null;
  expiresAt: Date | null;
}

export function toMessage({ recipientKey, recipient, ...row }: MessageRow): Message {
  return { ...row, recipient: recipientOf(recipientKey, recipient), createdAt: new Date(timeOfId(row.id)) };
}

export function toGlobalMessage(row: GlobalMessageRow): GlobalMessage {
  return { ...row, createdAt: new Date(timeOfId(row.id)) };
}
