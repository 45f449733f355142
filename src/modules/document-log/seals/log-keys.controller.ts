import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Access } from '../../../common/auth/access.js';
import { SealKeys } from './seal-keys.js';
import { CHEAP } from '../../../common/scheduling/work-class.js';

/** Publishes the public keys of the seals to auditors, who have no access key. */
@Controller('.well-known/platform-services')
export class LogKeysController {
  constructor(private readonly sealKeys: SealKeys) {}

  /** Returns a JWK set (RFC 7517), starting with the key of SECRET_KEY. */
  @Get('document-log-keys')
  @RouteConfig({ access: 'public' satisfies Access, work: CHEAP })
  @Header('content-type', 'application/jwk-set+json; charset=utf-8')
  @Header('cache-control', 'public, max-age=3600')
  keys() {
    return {
      keys: this.sealKeys.all.map(({ publicKey }) => {
        return { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid: publicKey, use: 'sig', alg: 'EdDSA' };
      }),
    };
  }
}
