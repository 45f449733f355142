// Room: Service access keys and their scopes.
import { Global, Module } from '@nestjs/common';
import { RateLimiter } from '../scheduling/rate-limiter.js';
import { KeyBinding } from '../signing/key-binding.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';
import { BoundKeysService } from './bound-keys.service.js';

/** Identifies callers and limits their rate. */
@Global()
@Module({
  providers: [ApiKeysService, BoundKeysService, KeyBinding, Authenticator, RateLimiter],
  exports: [ApiKeysService, BoundKeysService, Authenticator, RateLimiter],
})
export class AuthModule {}
