// Room: Usage of a tenant over all services, for commands and `GET /key`.
import { Module } from '@nestjs/common';
import { KeyDescriptionService } from './key-description.service.js';
import { KeyController } from './key.controller.js';

/** Tells the holders of keys what they may do, and what their tenants use. */
@Module({ controllers: [KeyController], providers: [KeyDescriptionService] })
export class KeyModule {}
