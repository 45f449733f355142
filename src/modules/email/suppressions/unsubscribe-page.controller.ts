import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Logger } from '../../../common/logging/logger.js';
import { serveLinkPage } from '../link-pages/link-page.js';
import { UNSUBSCRIBE_PATH } from './unsubscribe-links.js';
import { RESUBSCRIBE, subscriptionPage } from './unsubscribe-page.js';
import { UnsubscribeService } from './unsubscribe.service.js';

/** Serves the page of an unsubscribe link. A POST by a mail program (RFC 8058) unsubscribes immediately, like the button. */
@Injectable()
export class UnsubscribePageController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly subscriptions: UnsubscribeService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const page = {
      path: UNSUBSCRIBE_PATH,
      show: async (token: string) => subscriptionPage(await this.subscriptions.find(token)),
      act: async (token: string, form: string) => {
        const isAgain = form === `action=${RESUBSCRIBE}`;
        return subscriptionPage(await (isAgain ? this.subscriptions.resubscribe(token) : this.subscriptions.unsubscribe(token)));
      },
    };
    serveLinkPage(this.adapterHost.httpAdapter.getInstance(), page, this.logger);
  }
}
