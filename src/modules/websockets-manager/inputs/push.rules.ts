import { isIP } from 'node:net';
import { z } from 'zod';
import { badInput } from '../../../common/errors/app-error.js';
import { KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { checkText, MAX_NAME, text } from '../../../common/validation/text.js';
import { futureFault } from '../../../common/validation/time.js';
import { MAX_RECIPIENTS } from '../models/message.model.js';
import { plainAddress } from '../sockets/upgrades/source-address.js';
import type { GlobalMessageInput, MessageInput, RegisterRecipientInput } from './push.inputs.js';
import { MAX_MESSAGE, MAX_TOKEN_SECONDS, MIN_TOKEN_SECONDS } from '../models/limits.js';

const TOKEN_SECONDS = `must be from ${MIN_TOKEN_SECONDS} to ${MAX_TOKEN_SECONDS} seconds`;

const name = text({ min: 1, max: MAX_NAME });

const origin = text({ max: MAX_NAME }).refine(
  (value) => /^https?:\/\/[^/]+$/i.test(value) && URL.canParse(value) && new URL(value).host !== '' && !value.includes('@'),
  'must be of the form http://<domain> or https://<domain>, as browsers send it',
);

export const registerRules: z.ZodType<RegisterRecipientInput> = z.strictObject({
  recipient: name,
  sourceIp: z
    .string()
    .refine((value) => isIP(value) !== 0, 'must be an IPv4 or IPv6 address')
    .transform(plainAddress)
    .nullish(),
  origin: origin.transform((value) => new URL(value).origin).nullish(),
  topic: name.nullish(),
  expiresIn: z.number().min(MIN_TOKEN_SECONDS, TOKEN_SECONDS).max(MAX_TOKEN_SECONDS, TOKEN_SECONDS).nullish(),
  closeOnExpiry: z.boolean().nullish(),
  acknowledge: z.boolean().nullish(),
});

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
