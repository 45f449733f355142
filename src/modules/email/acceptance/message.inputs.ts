import { z } from 'zod';
import { badInput } from '../../../common/base/app-error.js';
import { type Checked, type Given, input, nested } from '../../../common/graphql/types/input.js';
import { KEEP_KEYS_MS, KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { asCount, asDays, asHours } from '../../../common/base/amounts.js';
import { displayNameFault } from '../../../common/base/display-name.js';
import { addressRules, MAX_ADDRESS } from '../../../common/base/email-address.js';
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
/** Longer lists are refused at once, before their addresses are compared with each other. */
const MAX_LISTED = 1_000;

const EmailAddressInput = input(
  'EmailAddressInput',
  { registerIn, description: 'An address, with or without a name.' },
  {
    address: addressRules.describe(
      `At most ${MAX_ADDRESS} characters. ASCII only before the @; the domain may be internationalised, and its letter case is ` +
        'ignored.',
    ),
    name: line({ max: MAX_NAME })
      .nullish()
      .describe(`Up to ${asCount(MAX_NAME)} characters, ${LINE}, and no address other than the one beside it.`),
  },
  (rules) =>
    rules
      .superRefine(({ address, name }, context) => {
        const fault = typeof name === 'string' ? displayNameFault(name, address) : undefined;
        if (fault) context.addIssue({ code: 'custom', path: ['name'], message: fault });
      })
      .transform(({ address, name }) => ({ address, name: name?.trim() || null })),
);
export type NamedAddress = Checked<typeof EmailAddressInput>;

const named = nested(EmailAddressInput);
const people = z.array(named).max(MAX_LISTED, `must have far fewer addresses: at most ${MAX_ADDRESSES} over to, cc and bcc`);
const body = text({ max: MAX_BODY }).nullish();

export const SendMessageInput = input(
  'SendMessageInput',
  { registerIn, description: 'htmlBody, textBody or templateName is needed.' },
  {
    to: people
      .min(1, 'must have at least one address')
      .describe(
        `At least one; at most ${MAX_ADDRESSES} together with cc and bcc. An address named twice counts once and gets one mail.`,
      ),
    from: named
      .nullish()
      .describe(
        'EMAIL_FROM by default. Any other address or its domain must be VERIFIED (see verifyEmailIdentity and createEmailDomain), else ' +
          'FAILED_PRECONDITION.',
      ),
    subject: line({ max: MAX_SUBJECT }).nullish().describe(`Up to ${MAX_SUBJECT} characters, ${LINE}.`),
    htmlBody: body.describe(`Up to ${asCount(MAX_BODY)} characters.`),
    attachments: attachmentsRules.describe(
      `Up to ${MAX_ATTACHMENTS}, and ${asCount(MAX_ATTACHED_BYTES)} bytes in all, together with inlineAttachments; more bytes are ` +
        'PAYLOAD_TOO_LARGE.',
    ),
    cc: people.nullish().describe('Recipients of a copy, visible to all; counted with to and bcc.'),
    bcc: people.nullish().describe('Recipients of a copy whom no header names; counted with to and cc.'),
    replyTo: named.nullish().describe('The address for replies; the sender by default.'),
    textBody: body.describe(`Up to ${asCount(MAX_BODY)} characters; made from the html if left out.`),
    templateName: text({ min: 1, max: MAX_NAME })
      .nullish()
      .describe('A saved template of type email, rendered at once; excludes subject, htmlBody and textBody.'),
    templateVersion: z
      .int()
      .nullish()
      .describe(
        'With templateName only: one of its templateVersions, for a mail as it was approved, with the layouts, partials and translations of ' +
          'then. The present one unless given; NOT_FOUND when it is not kept.',
      ),
    params: z.string().nullish().describe('With templateName only: a JSON object as text; {} by default.'),
    strict: z
      .boolean()
      .nullish()
      .describe(
        'With templateName only: true refuses the message with BAD_USER_INPUT when a parameter is missing or a value was ' +
          'replaced or left out (see missingParams and warnings of Document Rendering). false by default.',
      ),
    locale: z
      .string()
      .nullish()
      .describe(
        'With templateName only: the language of the texts, which a lookup finds, and of numbers, dates, lists and plurals, an IETF language ' +
          'tag such as de-CH. That of the template without it.',
      ),
    timeZone: z
      .string()
      .nullish()
      .describe('With templateName only: the zone of times, an IANA name such as Europe/Zurich. UTC by default.'),
    idempotencyKey: text(KEY_BOUNDS)
      .nullish()
      .describe(
        `${KEY_BOUNDS.min} to ${KEY_BOUNDS.max} characters, kept for ${asHours(KEEP_KEYS_MS)} hours. A repeat with the same content returns ` +
          'the first result and sends nothing; with other content it is a CONFLICT.',
      ),
    headers: headersRules
      .nullish()
      .describe(
        `Headers to add: up to ${MAX_HEADERS}, each once, and ${asCount(MAX_HEADERS_BYTES)} bytes together. An Auto-Submitted replaces ` +
          'the auto-generated of this service (RFC 3834).',
      ),
    tags: tagsRules
      .nullish()
      .describe(
        `Tags to find the message by, up to ${MAX_TAGS}, each name once. Its events show them; recipients do not see them.`,
      ),
    inlineAttachments: inlineAttachmentsRules.describe(
      'Attachments that are no stored files. They come after attachments, and count with them.',
    ),
    renderedAttachments: renderedAttachmentsRules.describe(
      `Up to ${MAX_RENDERED} PDFs, each rendered of a template before the message is stored, and kept as a file that expires after ` +
        `${asDays(RENDERED_KEPT_MS)} days. They come last, and count with the other attachments. FAILED_PRECONDITION on a server that makes no PDF.`,
    ),
    unsubscribe: nested(UnsubscribeInput)
      .nullish()
      .describe('Lets the recipient end the mails of a list. With one recipient only: each has an address of their own.'),
    ignoreSuppressions: ignoredRules
      .nullish()
      .describe(
        'Reasons of suppressions that do not count for this message, such as UNSUBSCRIBED for a receipt: UNSUBSCRIBED and MANUAL. ' +
          'HARD_BOUNCE and COMPLAINT always count, and are BAD_USER_INPUT.',
      ),
    sendAt: z
      .date()
      .nullish()
      .describe(
        `When to send it: a time in the future, at most ${asDays(MAX_AHEAD_MS)} days ahead; at once by default. The message is rendered and ` +
          `checked now, and tried for ${asHours(GIVE_UP_AFTER_MS)} hours from that time on. See rescheduleMessage and cancelMessage.`,
      ),
  },
  (rules) => rules.superRefine(checkTogether),
);
export type SendMessageInput = Given<typeof SendMessageInput>;
export type CheckedMessage = Checked<typeof SendMessageInput>;

const MessageDefaultsInput = input(
  'MessageDefaultsInput',
  { registerIn, description: 'Fields of all messages of a call.' },
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

// The service checks each message alone, with the defaults added.
export const SendMessagesInput = input(
  'SendMessagesInput',
  { registerIn, description: 'Messages to send, and what they share.' },
  {
    defaults: nested(MessageDefaultsInput)
      .nullish()
      .describe('What all messages share. A field that a message gives replaces that of the defaults; null does not.'),
    messages: z
      .array(nested(SendMessageInput))
      .describe(
        `1 to ${MAX_MESSAGES}. Their bodies, as rendered, have at most ${asCount(MAX_BODIES)} characters together, else PAYLOAD_TOO_LARGE ` +
          'for the messages beyond.',
      ),
  },
);
export type SendMessagesInput = Given<typeof SendMessagesInput>;

/** Checks the time to send a message at. @throws BAD_USER_INPUT unless it is in the future, and within MAX_AHEAD_MS */
export function checkSendAt(sendAt: Date, field: string): void {
  const ahead = sendAt.getTime() - Date.now();
  if (ahead <= 0) throw badInput(field, 'must be in the future');
  if (ahead > MAX_AHEAD_MS) throw badInput(field, `must be at most ${asDays(MAX_AHEAD_MS)} days ahead`);
}
