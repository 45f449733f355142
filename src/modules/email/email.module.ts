import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { RenderingModule } from '../document-rendering/rendering.module.js';
import { AttachableContentModule } from '../file-management/attachable-content.module.js';
import { DeliveryService } from './delivery.service.js';
import { EmailCleaner } from './email-cleaner.worker.js';
import { EmailResolver } from './email.resolver.js';
import { IdentitiesResolver } from './identities.resolver.js';
import { IdentitiesService } from './identities.service.js';
import { IdentityPageController } from './identity-page.controller.js';
import { MailQuotaService } from './mail-quota.service.js';
import { MessageAcceptanceService } from './message-acceptance.service.js';
import { MessageContentService } from './message-content.service.js';
import { MessagesService } from './messages.service.js';
import { OutboxService } from './outbox.service.js';
import { OutboxWorker } from './outbox.worker.js';
import { OutboxWriterService } from './outbox-writer.service.js';
import { MailTransportModule } from './transport/mail-transport.module.js';

const ACCEPTING = [
  EmailResolver,
  MessageAcceptanceService,
  MailQuotaService,
  MessageContentService,
  OutboxWriterService,
  MessagesService,
];
const SENDING = [OutboxService, DeliveryService, OutboxWorker, EmailCleaner];
const IDENTITIES = [IdentitiesResolver, IdentitiesService, IdentityPageController];

/** Sends email, with files as attachments and templates as content. A message that was accepted is sent, whatever crashes in between. */
@Module({
  imports: [AttachableContentModule, RenderingModule, MailTransportModule],
  providers: [...ACCEPTING, ...SENDING, ...IDENTITIES],
})
export class EmailModule {
  constructor(readiness: Readiness) {
    // Templates are rendered while a message is taken, attachments are read while it is sent.
    readiness.addPartialNeeds('email', 'renderer', 'blob store');
  }
}
