import { accessOperations } from '../../common/access/access-operations.js';
import { webhookOperations } from '../../common/events/webhooks/webhook-operations.js';
import { MAIL_EVENTS } from './models/events.js';
import { EmailSchema } from '../../common/graphql/types/schemas.js';
import { versionResolver } from '../../common/graphql/version.resolver.js';
import { Module } from '@nestjs/common';
import { Readiness } from '../../common/health/readiness.js';
import { MessageActivityResolver } from './messages/message-activity.resolver.js';
import { ActivityService } from '../../common/lists/activity.service.js';
import { BouncesModule } from './bounces/bounces.module.js';
import { BouncesResolver } from './bounces/bounces.resolver.js';
import { EmailDomainsResolver } from './domains/email-domains.resolver.js';
import { EmailMessagesResolver } from './messages/email-messages.resolver.js';
import { IdentitiesResolver } from './identities/identities.resolver.js';
import { IdentityPageController } from './identities/identity-page.controller.js';
import { SuppressionsResolver } from './suppressions/suppressions.resolver.js';
import { UnsubscribePageController } from './suppressions/unsubscribe-page.controller.js';
import { MailsModule } from './mails.module.js';

const RESOLVERS = [
  versionResolver('email'),
  accessOperations({ service: 'email', marker: EmailSchema }),
  ...webhookOperations({ service: 'email', marker: EmailSchema, kinds: MAIL_EVENTS }),
  EmailMessagesResolver,
  MessageActivityResolver,
  ActivityService,
  BouncesResolver,
  IdentitiesResolver,
  EmailDomainsResolver,
  SuppressionsResolver,
];
const PAGES = [IdentityPageController, UnsubscribePageController];

/** Sends email, with files as attachments and templates as content. Accepted messages survive crashes of nodes. */
@Module({ imports: [MailsModule, BouncesModule], providers: [...RESOLVERS, ...PAGES] })
export class EmailModule {
  constructor(readiness: Readiness) {
    // Accepting a message renders its template; sending it reads its attachments.
    readiness.addPartialNeeds('email', 'renderer', 'blob store');
  }
}
