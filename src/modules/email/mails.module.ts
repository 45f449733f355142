import { Module } from '@nestjs/common';
import { RenderedFilesModule } from '../document-rendering/rendered-files.module.js';
import { RenderingModule } from '../document-rendering/rendering.module.js';
import { AttachableContentModule } from '../file-management/file-storage/attachable-content.module.js';
import { BounceListener } from './bounces/bounce-listener.job.js';
import { BouncesModule } from './bounces/bounces.module.js';
import { EmailContentsService } from './message-storage/email-contents.service.js';
import { DomainChecksJob } from './domains/domain-checks.job.js';
import { DomainChecksService } from './domains/domain-checks.service.js';
import { EmailDomainsService } from './domains/email-domains.service.js';
import { SendingDomains } from './domains/sending-domains.service.js';
import { EmailDeliveryService } from './outbox/email-delivery.service.js';
import { EmailMetrics } from './outbox/email-metrics.js';
import { AddressErasureService } from './erasure/address-erasure.service.js';
import { EmailDeletionService } from './messages/email-deletion.service.js';
import { EmailExpiry } from './messages/email-expiry.job.js';
import { IdentitiesService } from './identities/identities.service.js';
import { MailQuotaService } from './acceptance/mail-quota.service.js';
import { MessageAcceptanceService } from './acceptance/message-acceptance.service.js';
import { MessageMakerService } from './acceptance/message-maker.service.js';
import { RenderedAttachmentsService } from './acceptance/rendered-attachments.service.js';
import { MessageContentService } from './acceptance/message-content.service.js';
import { EmailMessagesService } from './messages/email-messages.service.js';
import { MessageSourceService } from './messages/message-source.service.js';
import { WaitingMessagesService } from './messages/waiting-messages.service.js';
import { SendersService } from './acceptance/senders.service.js';
import { OutboxService } from './outbox/outbox.service.js';
import { OutboxJob } from './outbox/outbox.job.js';
import { OutboxWriterService } from './outbox/outbox-writer.service.js';
import { PlainTextService } from './outbox/plain-text.service.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';
import { UnsubscribeLinks } from './suppressions/unsubscribe-links.js';
import { UnsubscribeService } from './suppressions/unsubscribe.service.js';
import { MailTransportModule } from './transport/mail-transport.module.js';
import { LaterMailsService } from './acceptance/later-mails.service.js';

const ACCEPTING = [
  MessageAcceptanceService,
  MessageMakerService,
  MailQuotaService,
  SendersService,
  WaitingMessagesService,
  MessageSourceService,
  MessageContentService,
  RenderedAttachmentsService,
  OutboxWriterService,
  EmailMessagesService,
  EmailContentsService,
  LaterMailsService,
];
const SENDING = [
  EmailMetrics,
  OutboxService,
  PlainTextService,
  EmailDeliveryService,
  SendingDomains,
  OutboxJob,
  EmailExpiry,
  EmailDeletionService,
  AddressErasureService,
];
const SUPPRESSIONS = [SuppressionsService, UnsubscribeLinks, UnsubscribeService];
const DOMAINS = [EmailDomainsService, DomainChecksService, DomainChecksJob];
const PROVIDERS = [...ACCEPTING, ...SENDING, ...SUPPRESSIONS, ...DOMAINS, BounceListener, IdentitiesService];

/** Accepts and sends mails, also for other services. Has no resolvers, since an importing module would serve them in its own schema. */
@Module({
  imports: [AttachableContentModule, RenderingModule, RenderedFilesModule, MailTransportModule, BouncesModule],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class MailsModule {}
