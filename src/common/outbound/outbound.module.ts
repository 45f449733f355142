// Room: Requests to servers of tenants, and the guard against internal networks.
import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { OutboundHttp } from './outbound-http.js';

/** Provides requests to servers of tenants. */
@Global()
@Module({
  providers: [{ provide: OutboundHttp, inject: [Config], useFactory: (config: Config) => new OutboundHttp(config) }],
  exports: [OutboundHttp],
})
export class OutboundModule {}
