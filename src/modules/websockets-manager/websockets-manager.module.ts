import { Module } from '@nestjs/common';
import { BacklogService } from './backlog.service.js';
import { BusModule } from './bus/bus.module.js';
import { CancellationService } from './cancellation.service.js';
import { DeliveryService } from './delivery.service.js';
import { GlobalPushService } from './global-push.service.js';
import { MessageRecordsService } from './message-records.service.js';
import { MessageSweeper } from './message-sweeper.worker.js';
import { MessagesResolver } from './messages.resolver.js';
import { MessagesService } from './messages.service.js';
import { NodeLink } from './node-link.js';
import { PushKeysService } from './push-keys.service.js';
import { PushRouterService } from './push-router.service.js';
import { PushWriterService } from './push-writer.service.js';
import { PushGateway } from './push.gateway.js';
import { PushService } from './push.service.js';
import { RecipientTokens } from './recipient-tokens.js';
import { RecipientsOnlineService } from './recipients-online.service.js';
import { RecipientsResolver } from './recipients.resolver.js';
import { RecipientsService } from './recipients.service.js';
import { Connections } from './sockets/connections.js';
import { SocketServer } from './sockets/socket-server.js';
import { WaitingQuotaService } from './waiting-quota.service.js';
import { WebsocketsManagerResolver } from './websockets-manager.resolver.js';

const RESOLVERS = [WebsocketsManagerResolver, MessagesResolver, RecipientsResolver];
const PUSHES = [
  PushService,
  GlobalPushService,
  PushWriterService,
  PushKeysService,
  PushRouterService,
  MessagesService,
  CancellationService,
  WaitingQuotaService,
];
const RECIPIENTS = [RecipientsService, RecipientsOnlineService, RecipientTokens];
const SOCKETS = [PushGateway, SocketServer, Connections, NodeLink, DeliveryService, BacklogService];
const RECORDS = [MessageRecordsService, MessageSweeper];

/** Pushes messages to named recipients, or to all, over plain WebSockets. A message counts as delivered only when its receiver confirmed it. */
@Module({ imports: [BusModule], providers: [...RESOLVERS, ...PUSHES, ...RECIPIENTS, ...SOCKETS, ...RECORDS] })
export class WebsocketsManagerModule {}
