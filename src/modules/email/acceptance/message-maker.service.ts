import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import type { Sender } from '../../../common/config/settings/mail-settings.js';
import { type NewEmail, newEmail, type NewRecipient, scheduled, storedPairs } from '../message-storage/email-row.js';
import { UnsubscribeLinks } from '../suppressions/unsubscribe-links.js';
import { attachmentsOf } from './attachment.inputs.js';
import { type CheckedMessage, checkSendAt } from './message.inputs.js';
import type { CallSize } from './message-batch.js';
import { MessageContentService } from './message-content.service.js';
import type { MadeMessage } from './rendered-attachments.service.js';
import { SendersService } from './senders.service.js';
import type { WantedMessage } from './wanted-message.js';

/** Prepares messages for storage: sender, content and unsubscribe URL. Leaves rendered attachments to RenderedAttachmentsService. */
@Injectable()
export class MessageMakerService {
  constructor(
    private readonly contents: MessageContentService,
    private readonly senders: SendersService,
    private readonly unsubscribeLinks: UnsubscribeLinks,
  ) {}

  /**
   * Returns a function that prepares the messages of one call.
   * @throws BAD_USER_INPUT for a `sendAt` out of bounds, though not for a repeat of an accepted message; the errors of
   * SendersService.senderOf, MessageContentService.contentOf and CallSize
   */
  forCall(caller: Caller, size: CallSize): (wanted: WantedMessage) => Promise<MadeMessage> {
    const senderOf = this.senders.askingOnce(caller.tenantId);
    return async (wanted) => this.made(caller, wanted, await senderOf(wanted.message.from), size);
  }

  private async made(
    caller: Caller,
    { message, recipients, key }: WantedMessage,
    from: Sender,
    size: CallSize,
  ): Promise<MadeMessage> {
    const { sendAt } = message;
    if (sendAt) checkSendAt(sendAt, 'input.sendAt');
    const fresh = newEmail(caller.tenantId, from, this.senders.own);
    const unsubscribeUrl = this.unsubscribeUrl(fresh, message, recipients);
    const attachments = attachmentsOf(message);
    const toRender = message.renderedAttachments ?? [];
    const email: NewEmail = {
      ...fresh,
      ...(sendAt && scheduled(sendAt)),
      ...replyOf(message),
      ...(await this.contents.contentOf(caller, message, { unsubscribeUrl, size })),
      ...key,
      headers: storedPairs(message.headers),
      tags: storedPairs(message.tags),
      list: message.unsubscribe?.list ?? null,
      unsubscribeUrl,
      ignoredReasons: message.ignoreSuppressions?.length ? JSON.stringify(message.ignoreSuppressions) : null,
      hasAttachments: attachments.length + toRender.length > 0,
    };
    return { email, recipients, attachments, toRender };
  }

  private unsubscribeUrl(
    { id, tenantId }: NewEmail,
    { unsubscribe }: CheckedMessage,
    [recipient]: NewRecipient[],
  ): string | null {
    if (!unsubscribe) return null;
    const { url, list } = unsubscribe;
    return url ?? this.unsubscribeLinks.linkOf({ tenantId, emailId: id, address: recipient!.address, list });
  }
}

function replyOf({ replyTo }: CheckedMessage) {
  return { replyToAddress: replyTo?.address ?? null, replyToName: replyTo?.name ?? null };
}
