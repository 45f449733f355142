import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { emailAddressInput } from '../../../common/graphql/types/email-address.input.js';
import { type Checked, type Given, input, nested } from '../../../common/graphql/types/input.js';
import { KEEP_KEYS_MS, KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { asCount, asDays, asHours } from '../../../common/base/amounts.js';
import { line, MAX_NAME, text } from '../../../common/base/text.js';
import { MAX_ATTACHMENTS } from '../models/content.model.js';
import { MAX_ADDRESSES } from '../models/email.model.js';
import { MAX_HEADERS, MAX_HEADERS_BYTES, MAX_TAGS } from '../models/header-names.js';
import {
  GIVE_UP_AFTER_MS,
  MAX_AHEAD_MS,
  MAX_ATTACHED_BYTES,
  MAX_BODIES,
  MAX_BODY,
  MAX_MESSAGES,
  MAX_RENDERED,
  MAX_SUBJECT,
  RENDERED_KEPT_MS,
} from '../models/limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { ignoredRules } from '../suppressions/suppression.inputs.js';
import { UnsubscribeInput } from '../suppressions/unsubscribe.input.js';
import { attachmentsRules, checkTogether, inlineAttachmentsRules, renderedAttachmentsRules } from './attachment.inputs.js';
import { headersRules, tagsRules } from './header.inputs.js';

const registerIn = EmailSchema;
const LINE = 'no line breaks or other control characters';
/** Length up to which lists are compared for duplicates. Longer ones are rejected immediately. */
const MAX_LISTED = 1_000;

const named = nested(emailAddressInput(registerIn));
const people = z.array(named).max(MAX_LISTED, `has too many addresses; send at most ${MAX_ADDRESSES} in to, cc and bcc together`);
const body = text({ max: MAX_BODY }).nullish();

export const SendMessageInput = input(
  'SendMessageInput',
  { registerIn, description: 'Message to send. Requires htmlBody, textBody or templateName.' },
  {
    to: people
      .min(1, 'must have at least one address')
      .describe(
        `Recipients: at least one, and at most ${MAX_ADDRESSES} together with cc and bcc. A repeated address counts once and receives one mail.`,
      ),
    from: named
      .nullish()
      .describe(
        'Sender, by default EMAIL_FROM. Any other address or its domain must be VERIFIED (see verifyEmailIdentity and createEmailDomain), else ' +
          'FAILED_PRECONDITION.',
      ),
    subject: line({ max: MAX_SUBJECT }).nullish().describe(`Subject: up to ${MAX_SUBJECT} characters, ${LINE}.`),
    htmlBody: body.describe(`HTML body, up to ${asCount(MAX_BODY)} characters.`),
    attachments: attachmentsRules.describe(
      `Stored files to attach: up to ${MAX_ATTACHMENTS}, and ${asCount(MAX_ATTACHED_BYTES)} bytes in all, together with inlineAttachments; more bytes are ` +
        'PAYLOAD_TOO_LARGE.',
    ),
    cc: people.nullish().describe('Recipients of a copy, visible to all; count with to and bcc.'),
    bcc: people.nullish().describe('Recipients of a copy, in no header; count with to and cc.'),
    replyTo: named.nullish().describe('Address for replies; the sender by default.'),
    textBody: body.describe(`Plain text body, up to ${asCount(MAX_BODY)} characters; generated from the html by default.`),
    templateName: text({ min: 1, max: MAX_NAME })
      .nullish()
      .describe('Name of a saved template of type email, rendered immediately. Excludes subject, htmlBody and textBody.'),
    templateVersion: z
      .int()
      .nullish()
      .describe(
        'Version of the template, with the layouts, partials and translations of that time, to send a mail as approved. ' +
          'Current by default; requires templateName. NOT_FOUND if the version is not stored.',
      ),
    params: z
      .string()
      .nullish()
      .describe('Parameters of the template: a JSON object as text; {} by default. Requires templateName.'),
    strict: z
      .boolean()
      .nullish()
      .describe(
        'true rejects the message with BAD_USER_INPUT if a parameter is missing or a value was ' +
          'replaced or left out (see missingParams and warnings of Document Rendering). false by default. Requires templateName.',
      ),
    locale: z
      .string()
      .nullish()
      .describe(
        'Language of looked-up texts, numbers, dates, lists and plurals: an IETF language tag such as de-CH. ' +
          'That of the template by default. Requires templateName.',
      ),
    timeZone: z
      .string()
      .nullish()
      .describe('Time zone, an IANA name such as Europe/Zurich. UTC by default. Requires templateName.'),
    idempotencyKey: text(KEY_BOUNDS)
      .nullish()
      .describe(
        `Idempotency key: ${KEY_BOUNDS.min} to ${KEY_BOUNDS.max} characters, stored for ${asHours(KEEP_KEYS_MS)} hours. Repeating it with the same content returns ` +
          'the first result and sends nothing; with other content, CONFLICT.',
      ),
    headers: headersRules
      .nullish()
      .describe(
        `Headers to add: up to ${MAX_HEADERS}, each once, and ${asCount(MAX_HEADERS_BYTES)} bytes together. An Auto-Submitted replaces ` +
          'the default auto-generated (RFC 3834).',
      ),
    tags: tagsRules
      .nullish()
      .describe(
        `Tags for finding the message, up to ${MAX_TAGS}, each name once. Included in its events, invisible to recipients.`,
      ),
    inlineAttachments: inlineAttachmentsRules.describe(
      'Attachments other than stored files. They follow attachments, and count with them.',
    ),
    renderedAttachments: renderedAttachmentsRules.describe(
      `Up to ${MAX_RENDERED} PDFs, each rendered from a template before the message is stored, as a file that expires after ` +
        `${asDays(RENDERED_KEPT_MS)} days. They come last, and count with the other attachments. FAILED_PRECONDITION on a server without PDF rendering.`,
    ),
    unsubscribe: nested(UnsubscribeInput)
      .nullish()
      .describe('Lets the recipient unsubscribe from a list. Requires a single recipient, since the link is personal.'),
    ignoreSuppressions: ignoredRules
      .nullish()
      .describe(
        'Suppression reasons to ignore for this message: UNSUBSCRIBED, such as for a receipt, and MANUAL. ' +
          'BAD_USER_INPUT for HARD_BOUNCE and COMPLAINT, which always apply.',
      ),
    sendAt: z
      .date()
      .nullish()
      .describe(
        `Time to send it, at most ${asDays(MAX_AHEAD_MS)} days ahead; immediately by default. The message is rendered and ` +
          `checked now, and attempted for ${asHours(GIVE_UP_AFTER_MS)} hours from that time on. See rescheduleMessage and cancelMessage.`,
      ),
  },
  (rules) => rules.superRefine(checkTogether),
);
export type SendMessageInput = Given<typeof SendMessageInput>;
export type CheckedMessage = Checked<typeof SendMessageInput>;

const MessageDefaultsInput = input(
  'MessageDefaultsInput',
  { registerIn, description: 'Default fields for all messages of a call.' },
  z.object(SendMessageInput.fields).omit({
    to: true,
    params: true,
    attachments: true,
    inlineAttachments: true,
    renderedAttachments: true,
    idempotencyKey: true,
  }).shape,
);
export type MessageDefaultsInput = Given<typeof MessageDefaultsInput>;

// The service checks each message separately, after adding the defaults.
export const SendMessagesInput = input(
  'SendMessagesInput',
  { registerIn, description: 'Messages to send, with their defaults.' },
  {
    defaults: nested(MessageDefaultsInput)
      .nullish()
      .describe('Defaults of all messages. A field set in a message overrides them; null does not.'),
    messages: z
      .array(nested(SendMessageInput))
      .describe(
        `Messages, 1 to ${MAX_MESSAGES}. PAYLOAD_TOO_LARGE for messages beyond ${asCount(MAX_BODIES)} characters of rendered bodies in one call.`,
      ),
  },
);
export type SendMessagesInput = Given<typeof SendMessagesInput>;

/** Checks the time to send a message. @throws BAD_USER_INPUT unless it is in the future, and within MAX_AHEAD_MS */
export function checkSendAt(sendAt: Date, field: string): void {
  const ahead = sendAt.getTime() - Date.now();
  if (ahead <= 0) throw badInput(field, 'must be in the future');
  if (ahead > MAX_AHEAD_MS) throw badInput(field, `must be at most ${asDays(MAX_AHEAD_MS)} days ahead`);
}
