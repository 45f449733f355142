import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';
import { KeyBinding } from './key-binding.js';
import { RateLimiter } from './rate-limiter.js';

/** Identifies callers and decides what they may do. Refuses everything that declares no access. */
@Global()
@Module({
  providers: [ApiKeysService, KeyBinding, Authenticator, RateLimiter, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [ApiKeysService, Authenticator, RateLimiter],
})
export class AuthModule {}
