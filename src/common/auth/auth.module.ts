// Room: Service access keys and their scopes.
import { Global, Module } from '@nestjs/common';
import { RateLimiter } from '../scheduling/rate-limiter.js';
import { KeyBinding } from '../signing/key-binding.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';

/** Identifies callers and limits their rate. */
@Global()
@Module({
  providers: [ApiKeysService, KeyBinding, Authenticator, RateLimiter],
  exports: [ApiKeysService, Authenticator, RateLimiter],
})
export class AuthModule {}
