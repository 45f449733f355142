// Room: Rows of messages, their content, attachments, bounces and events.
import { AppError } from '../../../common/base/app-error.js';
import type { EmailAttachmentModel } from '../../../generated/sqlite/models.js';
import type { AttachableContentService } from '../../file-management/file-storage/attachable-content.service.js';
import { MAX_ATTACHED_BYTES } from '../models/limits.js';

/** Blob key of an attachment with its content in the row. */
export const INLINE = '';

interface Placed {
  name: string;
  contentId?: string | null | undefined;
  /** Path of its input below `input`. */
  at: string;
}
/** Attachment of a message: a stored file, or base64. */
export type PlacedAttachment = Placed & ({ fileId: string } | { contentType: string; content: string });

type FileContents = Awaited<ReturnType<AttachableContentService['contentsOf']>>;

/**
 * Builds the rows of the attachments of a message.
 * @throws the errors of `FileContents`; PAYLOAD_TOO_LARGE over MAX_ATTACHED_BYTES, before decoding any content
 */
export function attachmentRows(
  emailId: string,
  attachments: PlacedAttachment[],
  fileContents: FileContents,
): EmailAttachmentModel[] {
  const abouts = attachments.map((one) =>
    'fileId' in one
      ? fileContents({ fileId: one.fileId, field: `input.${one.at}.fileId` })
      : { blobKey: INLINE, sizeBytes: decodedLength(one.content), contentType: one.contentType },
  );
  const total = abouts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (total > MAX_ATTACHED_BYTES) throw tooLarge(total, attachments);
  return attachments.map((one, position) => {
    const { name, contentId = null } = one;
    const content = 'content' in one ? Buffer.from(one.content, 'base64') : null;
    const { blobKey, sizeBytes, contentType } = abouts[position]!;
    return { emailId, position, name, contentId, content, blobKey, sizeBytes, contentType };
  });
}

/** Returns the decoded length of padded base64. */
export const decodedLength = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

function tooLarge(total: number, [first]: PlacedAttachment[]): AppError {
  const field = `input.${first!.at.split('.')[0]!}`;
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `${field}: have ${total} bytes in all, with inlineAttachments, more than ${MAX_ATTACHED_BYTES}; send a link to the file instead`,
    { field },
  );
}
