import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Logger } from '../../../common/logging/logger.js';
import { serveLinkPage } from '../link-pages/link-page.js';
import { IdentitiesService, VERIFY_PATH } from './identities.service.js';
import { pageOf } from './identity-page.js';

/** Serves the page of a verification link. Only its button verifies. */
@Injectable()
export class IdentityPageController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly identities: IdentitiesService,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const page = {
      path: VERIFY_PATH,
      show: async (token: string) => pageOf(await this.identities.find(token)),
      act: async (token: string) => pageOf(await this.identities.verify(token)),
    };
    serveLinkPage(this.adapterHost.httpAdapter.getInstance(), page, this.logger);
  }
}
