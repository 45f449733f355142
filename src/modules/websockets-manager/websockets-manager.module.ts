import { accessOperations } from '../../common/access/access-operations.js';
import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { PUSH_EVENTS } from './models/push.js';
import { WebsocketsManagerSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { TenantData } from '../../common/tenants/tenant-data.js';
import { MessageActivityResolver } from './messages/message-activity.resolver.js';
import { ActivityService } from '../../common/lists/activity.service.js';
import { BacklogService } from './delivery/backlog.service.js';
import { BusModule } from './bus/bus.module.js';
import { CancellationService } from './messages/cancellation.service.js';
import { LocalDeliveryService } from './messages/local-delivery.service.js';
import { GlobalPushService } from './messages/global-push.service.js';
import { MessageRecordsService } from './messages/message-records.service.js';
import { MessageExpiry } from './messages/message-expiry.job.js';
import { MessagesResolver } from './messages/messages.resolver.js';
import { MessageSettlementsService } from './messages/message-settlements.service.js';
import { PushMessagesService } from './messages/push-messages.service.js';
import { FallbacksJob } from './delivery/fallbacks.job.js';
import { FallbacksService } from './fallbacks/fallbacks.service.js';
import { MailsModule } from '../email/mails.module.js';
import { NodeListener } from './delivery/node-listener.js';
import { PushRouterService } from './messages/push-router.service.js';
import { PushWriterService } from './messages/push-writer.service.js';
import { PushGateway } from './push.gateway.js';
import { PushService } from './messages/push.service.js';
import { AdmissionService } from './recipients/admission.service.js';
import { LostRecipients } from './recipients/lost-recipients.job.js';
import { RecipientErasureService } from './recipients/recipient-erasure.service.js';
import { RecipientEventsService } from './recipients/recipient-events.service.js';
import { RecipientTokens } from './recipients/recipient-tokens.js';
import { OnlineRecipientsService } from './recipients/online-recipients.service.js';
import { RecipientsResolver } from './recipients/recipients.resolver.js';
import { RecipientsService } from './recipients/recipients.service.js';
import { RecipientMessages } from './recipients/recipient-messages.js';
import { TopicPresenceService } from './recipients/topic-presence.service.js';
import { RewindService } from './delivery/rewind.service.js';
import { TopicsService } from './recipients/topics.service.js';
import { InboxResolver } from './inbox/inbox.resolver.js';
import { InboxService } from './inbox/inbox.service.js';
import { UnreadNoticesService } from './recipients/unread-notices.service.js';
import { missingUpgrade } from './sockets/upgrades/upgrade-answers.js';
import { RequestGate } from '../../common/http/request-gate.js';
import { ConnectionLifecycle } from './sockets/connection-lifecycle.js';
import { Connections } from './sockets/connections.js';
import { EventStreamController } from './sockets/event-streams/event-stream.controller.js';
import { EventStreams } from './sockets/event-streams/event-streams.js';
import { PushMetrics } from './metrics/push-metrics.js';
import { SocketMetrics } from './metrics/socket-metrics.js';
import { SocketServer } from './sockets/socket-server.js';
import { WaitingQuotaService } from './messages/waiting-quota.service.js';

const RESOLVERS = [
  versionResolver('websockets-manager'),
  accessOperations({ service: 'websockets-manager', marker: WebsocketsManagerSchema }),
  ...webhookOperations({ service: 'websockets-manager', marker: WebsocketsManagerSchema, kinds: PUSH_EVENTS }),
  MessagesResolver,
  MessageActivityResolver,
  RecipientsResolver,
  InboxResolver,
];
const PUSHES = [
  PushService,
  GlobalPushService,
  PushWriterService,
  PushRouterService,
  PushMessagesService,
  CancellationService,
  WaitingQuotaService,
];
const RECIPIENTS = [
  AdmissionService,
  RecipientsService,
  TopicsService,
  TopicPresenceService,
  RecipientMessages,
  RecipientErasureService,
  OnlineRecipientsService,
  RecipientTokens,
  RecipientEventsService,
  UnreadNoticesService,
  InboxService,
  LostRecipients,
];
const FALLBACKS = [FallbacksService, FallbacksJob];
const SOCKETS = [
  SocketMetrics,
  PushGateway,
  ConnectionLifecycle,
  SocketServer,
  EventStreams,
  EventStreamController,
  Connections,
  NodeListener,
  LocalDeliveryService,
  BacklogService,
  RewindService,
];
const RECORDS = [PushMetrics, MessageSettlementsService, MessageRecordsService, MessageExpiry, ActivityService];

/**
 * Pushes messages to named recipients, or to all, over plain WebSockets and event streams. A message counts as delivered once its client
 * confirms it.
 */
@Module({
  imports: [BusModule, MailsModule],
  providers: [...RESOLVERS, ...PUSHES, ...RECIPIENTS, ...SOCKETS, ...RECORDS, ...FALLBACKS],
})
export class WebsocketsManagerModule {
  constructor(data: TenantData, gate: RequestGate) {
    gate.addHint(missingUpgrade);
    data.addRows('fallbacks', 'MessageFallback', 'tenantId', 'pushId');
    data.addRows('mails of fallbacks', 'FallbackMail', 'tenantId', 'id');
    data.addRows('messages', 'Message', 'tenantId', 'pushId', 'recipientKey');
    data.addRows('global messages', 'GlobalMessage', 'tenantId', 'id');
    data.addRows('changed topics of recipients', 'RecipientTopics', 'tenantId', 'recipientKey');
    data.addRows('cutoffs of recipients', 'RecipientCutoff', 'tenantId', 'recipientKey');
  }
}
