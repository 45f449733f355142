import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { isId } from '../../../common/base/ids.js';
import { asBytes } from '../../../common/base/amounts.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { sizesOfContents } from '../message-storage/email-contents.queries.js';
import { EmailContentsService } from '../message-storage/email-contents.service.js';
import type { Prisma } from '../../../generated/sqlite/client.js';
import type { EmailContent } from '../models/content.model.js';
import { MAX_SOURCE_BYTES } from '../models/limits.js';
import { PlainTextService } from '../outbox/plain-text.service.js';
import { peopleOf } from '../message-storage/email-message.js';
import { composed } from '../transport/mail-source.js';

/** Maximum growth of content in a source: quoted-printable triples a byte, and the text accompanies the html. */
const GROWTH = 6;

const SHOWN = {
  messageId: true,
  fromAddress: true,
  fromName: true,
  replyToAddress: true,
  replyToName: true,
  subject: true,
  createdAt: true,
  sendAt: true,
  recipients: {
    where: { kind: { in: ['to', 'cc'] } },
    orderBy: { position: 'asc' },
    select: { kind: true, address: true, name: true },
  },
} satisfies Prisma.EmailSelect;

/** Recomposes the source of a message from its stored content. */
@Injectable()
export class MessageSourceService {
  constructor(
    private readonly database: Database,
    private readonly contents: EmailContentsService,
    private readonly plainTexts: PlainTextService,
  ) {}

  /**
   * Returns the source of a message; null if the message or its content is not stored.
   * @throws PAYLOAD_TOO_LARGE over MAX_SOURCE_BYTES of content, or over the memory of the operation
   */
  async sourceOf({ tenantId, budget }: Caller, id: string): Promise<string | null> {
    checkText('ID', id, { max: MAX_NAME });
    if (!isId(id)) return null;
    const bytes = (await sizesOfContents(this.database, { tenantId, ids: [id] })).get(id);
    if (bytes === undefined) return null;
    if (bytes > MAX_SOURCE_BYTES) {
      throw new AppError(
        'PAYLOAD_TOO_LARGE',
        `the email has ${bytes} bytes of content; the source is available up to ${asBytes(MAX_SOURCE_BYTES)}`,
      );
    }
    await budget?.reserve(bytes * GROWTH);
    const content = await this.contents.loaderOf({ tenantId, budget }, [id])(id);
    const email = await this.database.of(tenantId).email.findUnique({ where: { id }, select: SHOWN });
    if (!content || !email) return null;
    const text = await this.plainTexts.alternativeOf(tenantId, content, budget);
    const mail = { ...headersOf(id, email, content), html: content.html, text };
    const leftOut = content.attachments.map(({ size, fileId }) => `${size} bytes${fileId === null ? '' : ` of file ${fileId}`}`);
    return composed({ ...mail, attachments: content.attachments.map(withoutBytes), recipients: [] }, leftOut);
  }
}

function headersOf(id: string, email: Prisma.EmailGetPayload<{ select: typeof SHOWN }>, { headers }: EmailContent) {
  const { messageId, subject, recipients } = email;
  return {
    ...peopleOf(email, recipients),
    id,
    messageId,
    subject,
    headers,
    date: email.sendAt ?? email.createdAt,
    // Omitted: it would let a reader unsubscribe the recipient.
    unsubscribeUrl: null,
  };
}

const withoutBytes = ({ name, contentType, contentId }: EmailContent['attachments'][number]) => ({
  name,
  contentType,
  contentId,
  content: Readable.from([]),
});
