import { z } from 'zod';
import { contentTypeRules } from '../../../common/validation/content-type.js';
import { MAX_NAME, text } from '../../../common/validation/text.js';
import { MAX_ATTACHMENTS } from '../models/content.model.js';
import { MAX_CONTENT_ID, MAX_FILE_NAME, MAX_INLINE_BYTES, MAX_RENDERED } from '../models/limits.js';
import { line } from './line.js';

const CONTENT_ID = /^[A-Za-z0-9._-]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const name = line({ min: 1, max: MAX_FILE_NAME }).refine(
  (value) => !value.split(/[\\/]/).includes('..'),
  'must not have a .. segment',
);

const contentId = text({ min: 1, max: MAX_CONTENT_ID }).regex(
  CONTENT_ID,
  'must be made of A-Z, a-z, 0-9, dot, underscore and hyphen, such as logo.png, without cid: and <>',
);

const content = z.string('is required').superRefine((value, context) => {
  const fault = base64Fault(value);
  if (fault) context.addIssue({ code: 'custom', message: fault });
});

const attachment = z.strictObject({
  name,
  fileId: text({ min: 1, max: MAX_NAME }),
  contentId: contentId.nullish(),
});

const inlineAttachment = z.strictObject({ name, contentType: contentTypeRules, content, contentId: contentId.nullish() });

const renderedAttachment = z.strictObject({
  name,
  templateName: text({ min: 1, max: MAX_NAME }),
  params: z.string().nullish(),
  strict: z.boolean('must be true or false').nullish(),
  locale: z.string().nullish(),
  timeZone: z.string().nullish(),
  version: z.int().nullish(),
  // Document Rendering has the rules of these.
  pdf: z.record(z.string(), z.unknown()).nullish(),
});
export type RenderedAttachment = z.infer<typeof renderedAttachment>;

export const renderedAttachmentsRules = z
  .array(renderedAttachment)
  .max(MAX_RENDERED, `must have at most ${MAX_RENDERED} attachments`)
  .nullish();

export const attachmentsRules = z
  .array(attachment)
  .max(MAX_ATTACHMENTS, `must have at most ${MAX_ATTACHMENTS} attachments`)
  .nullish();

export const inlineAttachmentsRules = z
  .array(inlineAttachment)
  .max(MAX_ATTACHMENTS, `must have at most ${MAX_ATTACHMENTS} attachments`)
  .nullish();

/** The attachments of a message, in the order in which recipients get them. */
export interface Attachments {
  attachments?: z.infer<typeof attachmentsRules>;
  inlineAttachments?: z.infer<typeof inlineAttachmentsRules>;
}
interface AllAttachments extends Attachments {
  renderedAttachments?: RenderedAttachment[] | null;
}
type Attachment = z.infer<typeof attachment> | z.infer<typeof inlineAttachment>;

/** An attachment, and the path of its input below `input`. */
export type PlacedAttachment = Attachment & { at: string };

export function attachmentsOf({ attachments, inlineAttachments }: Attachments): PlacedAttachment[] {
  const placed = (list: Attachment[] | null | undefined, field: keyof Attachments) =>
    (list ?? []).map((one, index) => ({ ...one, at: `${field}.${index}` }));
  return [...placed(attachments, 'attachments'), ...placed(inlineAttachments, 'inlineAttachments')];
}

/** Checks what holds for the lists together. */
export function checkTogether(message: AllAttachments, context: z.RefinementCtx): void {
  const all = attachmentsOf(message);
  const count = all.length + (message.renderedAttachments?.length ?? 0);
  if (count > MAX_ATTACHMENTS) {
    const problem = `must be at most ${MAX_ATTACHMENTS} together with other attachments, are ${count}`;
    const path = [message.inlineAttachments?.length ? 'inlineAttachments' : 'renderedAttachments'];
    context.addIssue({ code: 'custom', path, message: problem });
  }
  const used = new Set<string>();
  for (const one of all) {
    if (!one.contentId) continue;
    if (used.has(one.contentId)) {
      const message = 'must be given once in a message: the html names one attachment by it, any number of times';
      context.addIssue({ code: 'custom', path: [...one.at.split('.'), 'contentId'], message });
    }
    used.add(one.contentId);
  }
}

/** Matches what an html names by cid: (RFC 2392), as far as it can be a contentId. */
const NAMED = /(?<![\w.+-])cid:([A-Za-z0-9._-]+)(?![\w%@+])/g;

/** Returns the field of a contentId that the html does not name, and what would be right. */
export function contentIdFault(
  html: string | null,
  attachments: PlacedAttachment[],
): { field: string; problem: string } | undefined {
  if (!attachments.some((one) => one.contentId)) return undefined;
  const named = new Set(Array.from((html ?? '').matchAll(NAMED), ([, id]) => id));
  const unnamed = attachments.find((one) => one.contentId && !named.has(one.contentId));
  if (!unnamed) return undefined;
  const right = `the html must have cid:${unnamed.contentId}, such as <img src="cid:${unnamed.contentId}">`;
  const problem =
    html === null ? `needs html: ${right}` : `is not named: ${right}; leave it out for an attachment that is listed`;
  return { field: `input.${unnamed.at}.contentId`, problem };
}

/** The length of what base64 with padding stands for. */
export const decodedLength = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

/** Measures a text before it reads it. */
function base64Fault(value: string): string | undefined {
  const bytes = decodedLength(value);
  if (bytes > MAX_INLINE_BYTES)
    return `must have at most ${MAX_INLINE_BYTES} bytes decoded, has ${Math.floor(bytes)}; store it as a file, and attach that by its fileId`;
  if (!BASE64.test(value))
    return 'must be base64 of the alphabet A-Z, a-z, 0-9, + and /, without line breaks (RFC 4648, section 4)';
  return value.length % 4 === 0 ? undefined : 'must be base64 with padding: = at its end until its length is a multiple of 4';
}
