import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { type Given, id, input, nested } from '../../../common/graphql/types/input.js';
import { timeRangeInput } from '../../../common/graphql/types/time-range.input.js';
import { KEEP_KEYS_MS, KEY_BOUNDS, MAX_IDEMPOTENCY_KEY } from '../../../common/idempotency/idempotency-key.js';
import { asCount, asHours } from '../../../common/base/amounts.js';
import { checkText, MAX_NAME, text } from '../../../common/base/text.js';
import { futureFault } from '../../../common/base/time.js';
import { MAX_MESSAGE } from '../models/limits.js';
import { MAX_RECIPIENTS } from './message.model.js';
import { MessageStatus } from './message-states.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';

const registerIn = WebsocketsManagerSchema;

// Values of pushes are checked by the functions below: zod takes twice as long for 1,000 recipients.
const push = {
  message: z.string().describe(`1 to ${asCount(MAX_MESSAGE)} characters.`),
  topic: z
    .string()
    .nullish()
    .describe('Sends the message only to connections with exactly this topic; if left out, to all connections.'),
  expiresAt: z
    .date()
    .nullish()
    .describe(
      'How long the message waits for recipients that are not connected: a time in the future, up to the year 9999. If left ' +
        'out, it does not wait.',
    ),
  idempotencyKey: z
    .string()
    .nullish()
    .describe(
      `1 to ${MAX_IDEMPOTENCY_KEY} characters. For ${asHours(KEEP_KEYS_MS)} h another push with the same key sends nothing and ` +
        'returns the result of the first; with other content it is CONFLICT.',
    ),
};

export const MessageInput = input(
  'MessageInput',
  { registerIn, description: 'A message and its recipients.' },
  { ...push, recipients: z.array(z.string()).describe(`1 to ${asCount(MAX_RECIPIENTS)} recipients; repeats count once.`) },
);
export type MessageInput = Given<typeof MessageInput>;

export const GlobalMessageInput = input('GlobalMessageInput', { registerIn, description: 'A message to all recipients.' }, push);
export type GlobalMessageInput = Given<typeof GlobalMessageInput>;

/** Checks the fields that all pushes have. @throws BAD_USER_INPUT that names the field */
export function checkPush({ message, topic, idempotencyKey }: GlobalMessageInput): void {
  checkText('input.message', message, { min: 1, max: MAX_MESSAGE });
  if (typeof topic === 'string') checkText('input.topic', topic, { min: 1, max: MAX_NAME });
  if (typeof idempotencyKey === 'string') checkText('input.idempotencyKey', idempotencyKey, KEY_BOUNDS);
}

/** Checks the expiry of a first push. A repeat is not checked, since it may come after expiresAt. @throws BAD_USER_INPUT */
export function checkExpiry(expiresAt: Date | null): void {
  if (!expiresAt) return;
  const fault = futureFault(expiresAt);
  if (fault) throw badInput('input.expiresAt', fault);
}

/** Returns each recipient once, in the given order. @throws BAD_USER_INPUT that names the field */
export function distinctRecipients({ recipients }: MessageInput): string[] {
  if (recipients.length < 1 || recipients.length > MAX_RECIPIENTS) {
    throw badInput('input.recipients', `must have 1 to ${MAX_RECIPIENTS} recipients`);
  }
  recipients.forEach((recipient, index) => checkText(`input.recipients.${index}`, recipient, { min: 1, max: MAX_NAME }));
  return [...new Set(recipients)];
}

const range = nested(
  timeRangeInput(registerIn, 'Both bounds are inclusive; either can be left out.', {
    path: ['from'],
    message: 'must not be after to',
  }),
).nullish();

const filter = {
  createdAt: range.describe('When messages were pushed.'),
  expiresAt: range.describe('When messages expire; messages that do not expire match no bound.'),
  topic: text({ max: MAX_NAME }).nullish().describe('The whole topic, case-sensitive.'),
};
const ofFilter = { registerIn, description: 'Filters messages; all given fields must match.' };

export const GlobalMessagesFilter = input('GlobalMessagesFilter', ofFilter, filter);
export type GlobalMessagesFilter = Given<typeof GlobalMessagesFilter>;

export const MessagesFilter = input('MessagesFilter', ofFilter, {
  ...filter,
  recipient: text({ max: MAX_NAME }).nullish().describe('The whole name of the recipient, case-sensitive.'),
  globalMessageId: id(text({ max: MAX_NAME }))
    .nullish()
    .describe('Only messages of the global message with this id.'),
  status: z.enum(MessageStatus).nullish().describe('Only messages with this status.'),
});
export type MessagesFilter = Given<typeof MessagesFilter>;
