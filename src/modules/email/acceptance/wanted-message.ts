import { createHash } from 'node:crypto';
import { badInput } from '../../../common/base/app-error.js';
import { type KeyColumns, keyOf, NO_KEY } from '../../../common/idempotency/idempotency-key.js';
import { checkInput } from '../../../common/base/text.js';
import { MAX_ADDRESSES } from '../models/email.model.js';
import type { NewRecipient } from '../message-storage/email-row.js';
import { type CheckedMessage, SendMessageInput } from './message.inputs.js';

/** A message that its caller asked for, as far as it is checked without the database. */
export interface WantedMessage {
  message: CheckedMessage;
  recipients: NewRecipient[];
  key: KeyColumns;
}

/** @throws BAD_USER_INPUT that names the field */
export function wantedMessage(input: SendMessageInput): WantedMessage {
  const message = checkInput(SendMessageInput.rules, input);
  const recipients = recipientsOf(message);
  checkUnsubscribe(message, recipients);
  const { idempotencyKey, ...content } = input;
  const key = typeof idempotencyKey === 'string' ? keyOf(idempotencyKey, withDigests(content)) : NO_KEY;
  return { message, recipients, key };
}

type Unkeyed = Omit<SendMessageInput, 'idempotencyKey'>;

/** Puts digests in place of inline contents, which are large: making JSON of them would copy them. */
function withDigests({ inlineAttachments, ...content }: Unkeyed): object {
  const digested = inlineAttachments?.map((one) => ({
    ...one,
    content: createHash('sha256').update(one.content).digest('base64'),
  }));
  return { ...content, inlineAttachments: digested };
}

/** Returns each address once, in the list that names it first. @throws BAD_USER_INPUT over MAX_ADDRESSES */
function recipientsOf({ to, cc, bcc }: CheckedMessage): NewRecipient[] {
  const byAddress = new Map<string, NewRecipient>();
  for (const [kind, people] of Object.entries({ to, cc: cc ?? [], bcc: bcc ?? [] })) {
    for (const { address, name } of people) {
      if (!byAddress.has(address)) byAddress.set(address, { kind: kind as NewRecipient['kind'], address, name });
    }
  }
  if (byAddress.size <= MAX_ADDRESSES) return [...byAddress.values()];
  throw badInput('input.to', `to, cc and bcc must have at most ${MAX_ADDRESSES} addresses together, have ${byAddress.size}`);
}

/** @throws BAD_USER_INPUT for a message of a list to several recipients */
function checkUnsubscribe({ unsubscribe }: CheckedMessage, recipients: NewRecipient[]): void {
  if (!unsubscribe || recipients.length === 1) return;
  const right = 'send each recipient a message of their own, since each has an address to unsubscribe at';
  throw badInput('input.unsubscribe', `needs one recipient in to, cc and bcc together, has ${recipients.length}; ${right}`);
}
