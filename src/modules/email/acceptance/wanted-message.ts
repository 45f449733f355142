import { createHash } from 'node:crypto';
import { badInput } from '../../../common/base/app-error.js';
import { type KeyColumns, keyOf, NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import { checkInput } from '../../../common/base/text.js';
import { MAX_ADDRESSES } from '../models/email.model.js';
import type { NewRecipient } from '../message-storage/email-row.js';
import { type CheckedMessage, SendMessageInput } from './message.inputs.js';

/** Requested message, checked as far as possible without the database. */
export interface WantedMessage {
  message: CheckedMessage;
  recipients: NewRecipient[];
  key: KeyColumns;
}

/** Checks the input of a message. @throws BAD_USER_INPUT that names the field */
export function wantedMessage(input: SendMessageInput): WantedMessage {
  const message = checkInput(SendMessageInput.rules, input);
  const recipients = recipientsOf(message);
  checkUnsubscribe(message, recipients);
  const { idempotencyKey, ...content } = input;
  const key = typeof idempotencyKey === 'string' ? keyOf(idempotencyKey, withDigests(content)) : NO_KEY;
  return { message, recipients, key };
}

type Unkeyed = Omit<SendMessageInput, 'idempotencyKey'>;

/** Replaces inline contents by digests, to avoid copying them into JSON. */
function withDigests({ inlineAttachments, ...content }: Unkeyed): object {
  const digested = inlineAttachments?.map((one) => ({
    ...one,
    content: createHash('sha256').update(one.content).digest('base64'),
  }));
  return { ...content, inlineAttachments: digested };
}

/** Returns the distinct addresses, each in the first list that contains it. @throws BAD_USER_INPUT over MAX_ADDRESSES */
function recipientsOf({ to, cc, bcc }: CheckedMessage): NewRecipient[] {
  const byAddress = new Map<string, NewRecipient>();
  for (const [kind, people] of Object.entries({ to, cc: cc ?? [], bcc: bcc ?? [] })) {
    for (const { address, name } of people) {
      if (!byAddress.has(address)) byAddress.set(address, { kind: kind as NewRecipient['kind'], address, name });
    }
  }
  if (byAddress.size <= MAX_ADDRESSES) return [...byAddress.values()];
  throw badInput('input.to', `to, cc and bcc have ${byAddress.size} addresses together; send at most ${MAX_ADDRESSES}`);
}

/** Checks that a message of a list has one recipient. @throws BAD_USER_INPUT */
function checkUnsubscribe({ unsubscribe }: CheckedMessage, recipients: NewRecipient[]): void {
  if (!unsubscribe || recipients.length === 1) return;
  const right = 'send a separate message to each, since the unsubscribe link is personal';
  throw badInput('input.unsubscribe', `requires a single recipient, but to, cc and bcc have ${recipients.length}; ${right}`);
}
