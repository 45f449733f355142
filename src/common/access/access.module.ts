// Room: Operations that create and end access tokens, the same in each service.
import { Global, Module } from '@nestjs/common';
import { AccessService } from './access.service.js';

/** Creates and ends access tokens for all services. */
@Global()
@Module({ providers: [AccessService], exports: [AccessService] })
export class AccessModule {}
