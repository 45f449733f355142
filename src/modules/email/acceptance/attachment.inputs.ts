import { registerEnumType } from '@nestjs/graphql';
import { z } from 'zod';
import { type Checked, id, input, nested } from '../../../common/graphql/types/input.js';
import { asCount } from '../../../common/base/amounts.js';
import { contentTypeRules, MAX_CONTENT_TYPE } from '../../../common/base/content-type.js';
import { line, MAX_NAME, text } from '../../../common/base/text.js';
import { MAX_ATTACHMENTS } from '../models/content.model.js';
import { MAX_CONTENT_ID, MAX_FILE_NAME, MAX_INLINE_BYTES, MAX_RENDERED } from '../models/limits.js';
import { EmailSchema } from '../../../common/graphql/types/schemas.js';
import { decodedLength, type PlacedAttachment } from '../message-storage/attachment-row.js';

const registerIn = EmailSchema;
const NAME =
  `File name shown to the recipient: 1 to ${MAX_FILE_NAME} characters, no line breaks or other control characters, ` +
  'no .. segment.';
const CONTENT_ID = /^[A-Za-z0-9._-]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const name = line({ min: 1, max: MAX_FILE_NAME })
  .refine((value) => !value.split(/[\\/]/).includes('..'), 'must not have a .. segment')
  .describe(NAME);

const contentId = text({ min: 1, max: MAX_CONTENT_ID })
  .regex(CONTENT_ID, 'must contain only A-Z, a-z, 0-9, dot, underscore and hyphen, such as logo.png, without cid: and <>')
  .nullish()
  .describe(
    `Id by which the html embeds it (cid:ID): A-Z, a-z, 0-9, dot, underscore and hyphen, up to ${MAX_CONTENT_ID} characters, unique in a ` +
      'message. BAD_USER_INPUT if the rendered html does not reference it.',
  );

const AttachmentInput = input(
  'AttachmentInput',
  { registerIn, description: 'Stored file to attach to a message.' },
  {
    name,
    fileId: id(text({ min: 1, max: MAX_NAME })).describe(
      'Id of a file of the tenant (else NOT_FOUND) with the status done (else FAILED_PRECONDITION). Sent byte for byte, with ' +
        'its contentType; message/… and multipart/… become application/octet-stream, since MIME forbids encoding them.',
    ),
    contentId,
  },
);

const InlineAttachmentInput = input(
  'InlineAttachmentInput',
  { registerIn, description: 'Content to attach to a message, other than a stored file.' },
  {
    name,
    contentType: contentTypeRules.describe(
      `MIME type, up to ${MAX_CONTENT_TYPE} characters; message/… and multipart/… become application/octet-stream, as with files.`,
    ),
    content: z
      .string('is required')
      .superRefine((value, context) => {
        const fault = base64Fault(value);
        if (fault) context.addIssue({ code: 'custom', message: fault });
      })
      .describe(
        `Content in base64, standard alphabet with padding (RFC 4648), without line breaks; up to ${asCount(MAX_INLINE_BYTES)} bytes decoded.`,
      ),
    contentId,
  },
);

enum PaperSize {
  A4 = 'A4',
  A5 = 'A5',
  LETTER = 'LETTER',
  LEGAL = 'LEGAL',
}
registerEnumType(PaperSize, {
  name: 'PaperSize',
  registerIn,
  description: 'Page size.',
  valuesMap: {
    A4: { description: 'ISO A4, common in most countries.' },
    A5: { description: 'ISO A5, half of A4.' },
    LETTER: { description: 'US Letter, common in North America.' },
    LEGAL: { description: 'US Legal, as wide as LETTER and longer.' },
  },
});

const AS_IN_RENDER_FILE = 'Same as in `renderFile` of Document Rendering.';
/** Declares a field validated by Document Rendering. */
const asInRenderFile = <R extends z.ZodType>(rule: R) => z.nullish(rule).describe(AS_IN_RENDER_FILE);

const AttachedPdfInput = input(
  'PdfInput',
  { registerIn, description: 'Print options of a document.' },
  {
    paper: asInRenderFile(z.enum(PaperSize)),
    landscape: asInRenderFile(z.boolean()),
    marginsMm: asInRenderFile(z.array(z.number().nullable())),
    headerTemplateName: asInRenderFile(z.string()),
    footerTemplateName: asInRenderFile(z.string()),
    archival: asInRenderFile(z.boolean()),
    embed: asInRenderFile(z.array(id(z.string()).nullable())),
  },
);

const RenderedAttachmentInput = input(
  'RenderedAttachmentInput',
  { registerIn, description: 'PDF to render from a template and attach to a message.' },
  {
    name: name.describe(`${NAME} Also the name of the rendered file.`),
    templateName: text({ min: 1, max: MAX_NAME }).describe('Name of a saved HTML template, else NOT_FOUND.'),
    version: asInRenderFile(z.int()),
    params: z.string().nullish().describe(`${AS_IN_RENDER_FILE} {} by default.`),
    strict: asInRenderFile(z.boolean()),
    locale: asInRenderFile(z.string()),
    timeZone: asInRenderFile(z.string()),
    pdf: asInRenderFile(nested(AttachedPdfInput)),
  },
);
export type RenderedAttachment = Checked<typeof RenderedAttachmentInput>;

const atMost = <R extends z.ZodType>(max: number, attachment: R) =>
  z.array(attachment).max(max, `must have at most ${max} attachments`).nullish();
export const attachmentsRules = atMost(MAX_ATTACHMENTS, nested(AttachmentInput));
export const inlineAttachmentsRules = atMost(MAX_ATTACHMENTS, nested(InlineAttachmentInput));
export const renderedAttachmentsRules = atMost(MAX_RENDERED, nested(RenderedAttachmentInput));

interface Attachments {
  attachments?: Checked<typeof AttachmentInput>[] | null;
  inlineAttachments?: Checked<typeof InlineAttachmentInput>[] | null;
  renderedAttachments?: RenderedAttachment[] | null;
}

/** Returns the attachments of a message, in the order of delivery. */
export function attachmentsOf({ attachments, inlineAttachments }: Attachments): PlacedAttachment[] {
  return [
    ...(attachments ?? []).map((one, index) => ({ ...one, at: `attachments.${index}` })),
    ...(inlineAttachments ?? []).map((one, index) => ({ ...one, at: `inlineAttachments.${index}` })),
  ];
}

/** Checks the constraints across both lists. */
export function checkTogether(message: Attachments, context: z.RefinementCtx): void {
  const all = attachmentsOf(message);
  const count = all.length + (message.renderedAttachments?.length ?? 0);
  if (count > MAX_ATTACHMENTS) {
    const problem = `has ${count} attachments together with the other lists; send at most ${MAX_ATTACHMENTS}`;
    const path = [message.inlineAttachments?.length ? 'inlineAttachments' : 'renderedAttachments'];
    context.addIssue({ code: 'custom', path, message: problem });
  }
  const used = new Set<string>();
  for (const one of all) {
    if (!one.contentId) continue;
    if (used.has(one.contentId)) {
      const message = 'repeats a contentId; give each attachment its own';
      context.addIssue({ code: 'custom', path: [...one.at.split('.'), 'contentId'], message });
    }
    used.add(one.contentId);
  }
}

/** Matches cid: references in html (RFC 2392) that are valid contentIds. */
const NAMED = /(?<![\w.+-])cid:([A-Za-z0-9._-]+)(?![\w%@+])/g;

/** Returns the field of an unreferenced contentId, with the fix. */
export function contentIdFault(
  html: string | null,
  attachments: PlacedAttachment[],
): { field: string; problem: string } | undefined {
  if (!attachments.some((one) => one.contentId)) return undefined;
  const named = new Set(Array.from((html ?? '').matchAll(NAMED), ([, id]) => id));
  const unnamed = attachments.find((one) => one.contentId && !named.has(one.contentId));
  if (!unnamed) return undefined;
  const right = `reference it in the html, such as <img src="cid:${unnamed.contentId}">`;
  const problem = html === null ? `needs html: ${right}` : `is not referenced: ${right}, or omit it for an ordinary attachment`;
  return { field: `input.${unnamed.at}.contentId`, problem };
}

/** Validates base64, its length first. Returns the error message, or undefined. */
function base64Fault(value: string): string | undefined {
  const bytes = decodedLength(value);
  if (bytes > MAX_INLINE_BYTES)
    return `has ${Math.floor(bytes)} bytes decoded, more than ${MAX_INLINE_BYTES}; store it as a file and attach it by fileId`;
  if (!BASE64.test(value))
    return 'must be base64 of the alphabet A-Z, a-z, 0-9, + and /, without line breaks (RFC 4648, section 4)';
  return value.length % 4 === 0 ? undefined : 'must be padded base64: append = until the length is a multiple of 4';
}
