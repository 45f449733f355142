// Room: Service access keys, their scopes, sessions of people, and the check of keys and tokens.
import { Global, Module } from '@nestjs/common';
import { RateLimiter } from '../scheduling/rate-limiter.js';
import { KeyBinding } from '../signing/key-binding.js';
import { AccessTokens } from '../tokens/access-tokens.js';
import { TokenBounds } from '../tokens/token-bounds.js';
import { TokenCutoffs } from '../tokens/token-cutoffs.js';
import { ApiKeysService } from './api-keys.service.js';
import { Authenticator } from './authenticator.js';
import { BoundKeysService } from './bound-keys.service.js';
import { SessionDoor } from './session-door.js';
import { SessionsService } from './sessions.service.js';

/** Identifies callers and limits their rate. */
@Global()
@Module({
  providers: [
    ApiKeysService,
    BoundKeysService,
    KeyBinding,
    SessionsService,
    SessionDoor,
    AccessTokens,
    TokenCutoffs,
    TokenBounds,
    Authenticator,
    RateLimiter,
  ],
  exports: [
    ApiKeysService,
    BoundKeysService,
    KeyBinding,
    SessionsService,
    AccessTokens,
    TokenCutoffs,
    TokenBounds,
    Authenticator,
    RateLimiter,
  ],
})
export class AuthModule {}
