import { Controller, Get, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Access } from '../../common/auth/access.js';
import { SealSigner } from './seals/seal-signer.js';

/** Publishes the public key of the seals, for auditors, who have no access key. */
@Controller('.well-known/platform-services')
export class LogKeysController {
  constructor(private readonly signer: SealSigner) {}

  /** A JWK set (RFC 7517). */
  @Get('document-log-keys')
  @RouteConfig({ access: 'public' satisfies Access })
  @Header('content-type', 'application/jwk-set+json; charset=utf-8')
  @Header('cache-control', 'public, max-age=3600')
  keys() {
    return {
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: this.signer.publicKey, kid: this.signer.publicKey, use: 'sig', alg: 'EdDSA' }],
    };
  }
}
