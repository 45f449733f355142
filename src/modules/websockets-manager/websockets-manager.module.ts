import { Module } from '@nestjs/common';
import { WebsocketsManagerResolver } from './websockets-manager.resolver.js';

/** Pushes messages to named recipients, or to all, over plain WebSockets. A message counts as delivered only when its receiver confirmed it. */
@Module({ providers: [WebsocketsManagerResolver] })
export class WebsocketsManagerModule {}
