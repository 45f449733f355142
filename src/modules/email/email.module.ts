import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { MAIL_EVENTS } from './models/events.js';
import { EmailSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { RenderedFilesModule } from '../document-rendering/rendered-files.module.js';
import { RenderingModule } from '../document-rendering/rendering.module.js';
import { AttachableContentModule } from '../file-management/file-storage/attachable-content.module.js';
import { MessageActivityResolver } from './messages/message-activity.resolver.js';
import { ActivityService } from '../../common/lists/activity.service.js';
import { BounceListener } from './bounces/bounce-listener.job.js';
import { BouncesModule } from './bounces/bounces.module.js';
import { BouncesResolver } from './bounces/bounces.resolver.js';
import { EmailContentsService } from './message-storage/email-contents.service.js';
import { DomainChecksJob } from './domains/domain-checks.job.js';
import { DomainChecksService } from './domains/domain-checks.service.js';
import { EmailDomainsResolver } from './domains/email-domains.resolver.js';
import { EmailDomainsService } from './domains/email-domains.service.js';
import { SendingDomains } from './domains/sending-domains.service.js';
import { EmailDeliveryService } from './outbox/email-delivery.service.js';
import { EmailMetrics } from './outbox/email-metrics.js';
import { AddressErasureService } from './erasure/address-erasure.service.js';
import { EmailDeletionService } from './messages/email-deletion.service.js';
import { EmailExpiry } from './messages/email-expiry.job.js';
import { EmailMessagesResolver } from './messages/email-messages.resolver.js';
import { IdentitiesResolver } from './identities/identities.resolver.js';
import { IdentitiesService } from './identities/identities.service.js';
import { IdentityPageController } from './identities/identity-page.controller.js';
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
import { SuppressionsResolver } from './suppressions/suppressions.resolver.js';
import { SuppressionsService } from './suppressions/suppressions.service.js';
import { UnsubscribeLinks } from './suppressions/unsubscribe-links.js';
import { UnsubscribePageController } from './suppressions/unsubscribe-page.controller.js';
import { UnsubscribeService } from './suppressions/unsubscribe.service.js';
import { MailTransportModule } from './transport/mail-transport.module.js';

const ACCEPTING = [
  versionResolver('email'),
  ...webhookOperations({ service: 'email', marker: EmailSchema, kinds: MAIL_EVENTS }),
  EmailMessagesResolver,
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
  MessageActivityResolver,
  ActivityService,
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
const SUPPRESSIONS = [SuppressionsResolver, SuppressionsService, UnsubscribeLinks, UnsubscribeService, UnsubscribePageController];
const BOUNCES = [BouncesResolver, BounceListener];
const DOMAINS = [EmailDomainsResolver, EmailDomainsService, DomainChecksService, DomainChecksJob];
const IDENTITIES = [IdentitiesResolver, IdentitiesService, IdentityPageController];

/** Sends email, with files as attachments and templates as content. Accepted messages survive crashes of nodes. */
@Module({
  imports: [AttachableContentModule, RenderingModule, RenderedFilesModule, MailTransportModule, BouncesModule],
  providers: [...ACCEPTING, ...SENDING, ...BOUNCES, ...IDENTITIES, ...DOMAINS, ...SUPPRESSIONS],
})
export class EmailModule {
  constructor(readiness: Readiness) {
    // Accepting a message renders its template; sending it reads its attachments.
    readiness.addPartialNeeds('email', 'renderer', 'blob store');
  }
}
