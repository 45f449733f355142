import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { timeRangeInput } from '../../../common/graphql/types/time-range.input.js';
import { KEEP_KEYS_MS, KEY_BOUNDS, MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { asCount, asHours } from '../../../common/base/amounts.js';
import { checkText, MAX_NAME, text } from '../../../common/base/text.js';
import { futureFault } from '../../../common/base/time.js';
import { FallbackInput } from '../fallbacks/fallback.inputs.js';
import { INBOX_DAYS, MAX_MESSAGE } from '../models/limits.js';
import { MAX_RECIPIENTS } from './message.model.js';
import { MessageStatus } from './message-states.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;

// The functions below check pushes: zod takes twice as long for 1,000 recipients.
const push = {
  message: z.string().describe(`Text of the message, 1 to ${asCount(MAX_MESSAGE)} characters.`),
  topic: z
    .string()
    .nullish()
    .describe('Topic: sends the message only to connections with exactly this topic; to all by default.'),
  expiresAt: z
    .date()
    .nullish()
    .describe(
      'Future time until which the message waits for offline recipients, up to the year 9999. By default it does not wait.',
    ),
  idempotencyKey: z
    .string()
    .nullish()
    .describe(
      `Idempotency key, 1 to ${MAX_IDEMPOTENCY_KEY} characters. For ${asHours(KEEP_KEYS_MS)} h, repeating the push with the same key ` +
        'returns the first result and sends nothing; with other content, CONFLICT.',
    ),
};

export const MessageInput = input(
  'MessageInput',
  { registerIn, description: 'Message with its recipients.' },
  {
    ...push,
    inbox: z
      .boolean()
      .nullish()
      .describe(
        "true also stores the message in the recipient's inbox until it expires, is cancelled or is archived; see docs/push.md. " +
          `It then waits for ${INBOX_DAYS} days unless expiresAt is set.`,
      ),
    recipients: z.array(z.string()).describe(`Recipients, 1 to ${asCount(MAX_RECIPIENTS)}; duplicates count once.`),
    fallback: nested(FallbackInput)
      .nullish()
      .describe('Mail to each recipient who has not confirmed the message by a time. A cancelled message sends none.'),
  },
);
export type MessageInput = Given<typeof MessageInput>;

export const GlobalMessageInput = input('GlobalMessageInput', { registerIn, description: 'Message to all recipients.' }, push);
export type GlobalMessageInput = Given<typeof GlobalMessageInput>;

/** Checks the fields common to all pushes. @throws BAD_USER_INPUT that names the field */
export function checkPush({ message, topic, idempotencyKey }: GlobalMessageInput): void {
  checkText('input.message', message, { min: 1, max: MAX_MESSAGE });
  if (typeof topic === 'string') checkText('input.topic', topic, { min: 1, max: MAX_NAME });
  if (typeof idempotencyKey === 'string') checkText('input.idempotencyKey', idempotencyKey, KEY_BOUNDS);
}

/** Checks the expiry of a first push. Not called for a repeat, which may come after expiresAt. @throws BAD_USER_INPUT */
export function checkExpiry(expiresAt: Date | null): void {
  if (!expiresAt) return;
  const fault = futureFault(expiresAt);
  if (fault) throw badInput('input.expiresAt', fault);
}

/** Removes duplicate recipients, preserving the order. @throws BAD_USER_INPUT that names the field */
export function distinctRecipients({ recipients }: MessageInput): string[] {
  if (recipients.length < 1 || recipients.length > MAX_RECIPIENTS) {
    throw badInput('input.recipients', `must have 1 to ${MAX_RECIPIENTS} recipients`);
  }
  recipients.forEach((recipient, index) => checkText(`input.recipients.${index}`, recipient, { min: 1, max: MAX_NAME }));
  return [...new Set(recipients)];
}

const range = nested(
  timeRangeInput(registerIn, 'Time range; both bounds are inclusive and optional.', {
    path: ['from'],
    message: 'must not be after to',
  }),
).nullish();

const filter = {
  createdAt: range.describe('Range of push times.'),
  expiresAt: range.describe('Range of expiry times. Excludes messages without expiry.'),
  topic: text({ max: MAX_NAME }).nullish().describe('Exact topic, case-sensitive.'),
};
const ofFilter = { registerIn, description: 'Filter of messages. All given fields must match.' };

export const GlobalMessagesFilter = input('GlobalMessagesFilter', ofFilter, filter);
export type GlobalMessagesFilter = Given<typeof GlobalMessagesFilter>;

export const MessagesFilter = input('MessagesFilter', ofFilter, {
  ...filter,
  recipient: text({ max: MAX_NAME }).nullish().describe('Exact name of the recipient, case-sensitive.'),
  globalMessageId: id(text({ max: MAX_NAME }))
    .nullish()
    .describe('Id of a global message, to select its messages.'),
  status: z.enum(MessageStatus).nullish().describe('Status of the messages.'),
});
export type MessagesFilter = Given<typeof MessagesFilter>;
