// Room: Usage and requests of a tenant over all services, for commands and `GET /key`.
import { Module } from '@nestjs/common';
import { KeyDescriptionService } from './key-description.service.js';
import { RequestsService } from './requests.service.js';
import { KeyController } from './key.controller.js';

/** Describes keys and the usage of their tenants to key holders. */
@Module({ controllers: [KeyController], providers: [KeyDescriptionService, RequestsService] })
export class KeyModule {}
