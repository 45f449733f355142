// Room: Sign-in of people by OpenID Connect, for Studio. Exists with `OIDC_ISSUER` only.
import { Module } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import { Issuer } from './issuer.js';
import { IssuerHttp } from './issuer-http.js';
import { PeopleController } from './people.controller.js';
import { SignInState } from './sign-in-state.js';

/** Signs people in and out. Part of a node only with OIDC_ISSUER. */
@Module({
  providers: [
    { provide: IssuerHttp, inject: [Config], useFactory: (config: Config) => new IssuerHttp(config) },
    Issuer,
    SignInState,
    PeopleController,
  ],
})
export class PeopleModule {}
