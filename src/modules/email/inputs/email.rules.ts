import { z } from 'zod';
import { displayNameFault } from '../../../common/validation/display-name.js';
import { badInput } from '../../../common/errors/app-error.js';
import { KEY_BOUNDS } from '../../../common/idempotency/idempotency-key.js';
import { asDays } from '../../../common/validation/amounts.js';
import { containedText, MAX_NAME, text, textFault } from '../../../common/validation/text.js';
import { timeRangeRules } from '../../../common/validation/time-range.js';
import { EmailStatus, MAX_ADDRESSES } from '../models/email.model.js';
import { addressRules } from './address.rules.js';
import { attachmentsRules, checkTogether, inlineAttachmentsRules, renderedAttachmentsRules } from './attachment.rules.js';
import { headersRules, tagRules, tagsRules } from './header.rules.js';
import { BREAK, line } from './line.js';
import { MAX_AHEAD_MS, MAX_BODY, MAX_SUBJECT } from '../models/limits.js';
import { ignoredRules, unsubscribeRules } from './suppression.rules.js';

/** Longer lists are refused at once, before their addresses are compared with each other. */
const MAX_LISTED = 1_000;

const named = z
  .strictObject({ address: addressRules, name: line({ max: MAX_NAME }).nullish() })
  .superRefine(({ address, name }, context) => {
    const fault = typeof name === 'string' ? displayNameFault(name, address) : undefined;
    if (fault) context.addIssue({ code: 'custom', path: ['name'], message: fault });
  })
  .transform(({ address, name }) => ({ address, name: name?.trim() || null }));

const people = z.array(named).max(MAX_LISTED, `must have far fewer addresses: at most ${MAX_ADDRESSES} over to, cc and bcc`);

const body = text({ max: MAX_BODY }).nullish();

export const sendMessageRules = z
  .strictObject({
    to: people.min(1, 'must have at least one address'),
    from: named.nullish(),
    subject: line({ max: MAX_SUBJECT }).nullish(),
    htmlBody: body,
    attachments: attachmentsRules,
    cc: people.nullish(),
    bcc: people.nullish(),
    replyTo: named.nullish(),
    textBody: body,
    templateName: text({ min: 1, max: MAX_NAME }).nullish(),
    templateVersion: z.int().nullish(),
    params: z.string().nullish(),
    strict: z.boolean('must be true or false').nullish(),
    locale: z.string().nullish(),
    timeZone: z.string().nullish(),
    idempotencyKey: text(KEY_BOUNDS).nullish(),
    headers: headersRules.nullish(),
    tags: tagsRules.nullish(),
    inlineAttachments: inlineAttachmentsRules,
    renderedAttachments: renderedAttachmentsRules,
    unsubscribe: unsubscribeRules.nullish(),
    ignoreSuppressions: ignoredRules.nullish(),
    sendAt: z.date().nullish(),
  })
  .superRefine(checkTogether);
export type CheckedMessage = z.infer<typeof sendMessageRules>;
export type NamedAddress = z.infer<typeof named>;

/** Checks the time to send a message at. @throws BAD_USER_INPUT unless it is in the future, and within MAX_AHEAD_MS */
export function checkSendAt(sendAt: Date, field: string): void {
  const ahead = sendAt.getTime() - Date.now();
  if (ahead <= 0) throw badInput(field, 'must be in the future');
  if (ahead > MAX_AHEAD_MS) throw badInput(field, `must be at most ${asDays(MAX_AHEAD_MS)} days ahead`);
}

/** Turns a rendered subject into one line, or returns what is wrong with the subject. */
export function asSubject(rendered: string): { subject: string } | { problem: string } {
  const subject = rendered.replaceAll(new RegExp(BREAK, 'gu'), ' ');
  const problem = textFault(subject, { max: MAX_SUBJECT });
  return problem === undefined ? { subject } : { problem: `renders a subject that ${problem}` };
}

export const identityRules = addressRules;

export const messagesFilterRules = z.strictObject({
  id: text({ max: MAX_NAME }).nullish(),
  to: addressRules.nullish(),
  contains: containedText.nullish(),
  status: z.enum(EmailStatus).nullish(),
  createdAt: timeRangeRules.nullish(),
  tag: tagRules.nullish(),
  scheduled: z.boolean('must be true or false').nullish(),
});
export type MessagesWanted = z.infer<typeof messagesFilterRules>;
