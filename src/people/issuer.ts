import { Injectable } from '@nestjs/common';
import type { Configuration, IDToken } from 'openid-client';
import type { Person } from '../common/auth/caller.js';
import { AppError } from '../common/base/app-error.js';
import { Config } from '../common/config/config.js';
import { PublicAddress } from '../common/http/public-address.js';
import { Logger } from '../common/logging/logger.js';
import { OutboundFault } from '../common/outbound/fault-texts.js';
import { IssuerHttp } from './issuer-http.js';
import { readRole, type RoleClaim } from '../common/config/settings/oidc-settings.js';

export const CALLBACK = '/session/callback';
/** Time for which the addresses of the issuer are known. A sign-in asks for them again, and for its keys, which may have changed. */
const KNOWN_MS = 60_000;
/** Tolerated difference between the clocks of issuer and server. */
const CLOCK_SECONDS = 60;
const MAX_NAME = 256;

/** Secrets of a sign-in, which the browser returns with the answer of the issuer. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

export interface SignedIn {
  person: Person;
  roles: string[];
}

/** OpenID Connect issuer: the authorization code flow with PKCE, state and nonce. The library is loaded at the first sign-in. */
@Injectable()
export class Issuer {
  private known?: { configuration: Promise<Configuration>; since: number };

  constructor(
    private readonly config: Config,
    private readonly address: PublicAddress,
    private readonly http: IssuerHttp,
    private readonly logger: Logger,
  ) {}

  /** Returns the URL at which a person signs in, and what the answer is checked by. @throws SERVICE_UNAVAILABLE */
  begin(): Promise<{ url: string; checks: Checks }> {
    return this.asking(async () => {
      const oidc = await import('openid-client');
      const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(await this.configuration(), {
        redirect_uri: this.redirectUri,
        scope: 'openid profile email',
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        state: checks.state,
        nonce: checks.nonce,
      });
      return { url: url.href, checks };
    });
  }

  /** Exchanges the code of an answer for the person. @throws UNAUTHENTICATED for an answer that is not valid; SERVICE_UNAVAILABLE */
  finish(search: string, { state, nonce, verifier }: Checks): Promise<SignedIn> {
    return this.asking(async () => {
      const oidc = await import('openid-client');
      const configuration = await this.discover();
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(this.redirectUri + search), {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      const { roleClaim } = this.config.oidc!;
      const roles = rolesOf(claims, roleClaim);
      if (roles || !configuration.serverMetadata().userinfo_endpoint) return { person: personOf(claims), roles: roles ?? [] };
      const all = { ...(await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
      return { person: personOf(all), roles: rolesOf(all, roleClaim) ?? [] };
    });
  }

  /** Returns the URL at which the issuer ends its own session; undefined if it has none, or is down. */
  async endUrl(): Promise<string | undefined> {
    try {
      const [oidc, configuration] = await Promise.all([import('openid-client'), this.configuration()]);
      if (!configuration.serverMetadata().end_session_endpoint) return undefined;
      return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: `${this.address.http}/studio` }).href;
    } catch {
      return undefined;
    }
  }

  private get redirectUri(): string {
    return this.address.http + CALLBACK;
  }

  private configuration(): Promise<Configuration> {
    if (this.known && performance.now() - this.known.since < KNOWN_MS) return this.known.configuration;
    return this.discover();
  }

  private discover(): Promise<Configuration> {
    const known = { configuration: this.readConfiguration(), since: performance.now() };
    this.known = known;
    known.configuration.catch(() => this.known === known && (this.known = undefined));
    return known.configuration;
  }

  private async readConfiguration(): Promise<Configuration> {
    const oidc = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.config.oidc!;
    const metadata = { client_secret: clientSecret, [oidc.clockTolerance]: CLOCK_SECONDS };
    return oidc.discovery(new URL(issuer), clientId, metadata, undefined, {
      [oidc.customFetch]: this.http.fetch,
      // the signature of ID tokens is verified too, although they come over TLS
      execute: [oidc.enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [])],
    });
  }

  /** Turns errors of the library into one for the person. The reason is logged, since only the operator can act on it. */
  private async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const fault = causesOf(error).find((one) => one instanceof OutboundFault || one instanceof AppError);
      const reason = causesOf(error).map(({ message }) => message);
      this.logger.warn({ issuer: this.config.oidc!.issuer, reason: reason.join(': ') }, 'a sign-in failed'); // without the claims
      if (!fault) throw new AppError('UNAUTHENTICATED', 'The identity provider did not confirm this sign-in; sign in again');
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `The identity provider is down: ${fault.message}; sign in again later, or use a key`,
      );
    }
  }
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

/** Returns the person of an ID token, with a name that is safe in every text. */
function personOf({ sub, ...claims }: Pick<IDToken, 'sub'> & Record<string, unknown>): Person {
  const names = [claims.name, claims.preferred_username, claims.email, sub].filter((name) => typeof name === 'string');
  const clean = names.map((name) =>
    name
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, MAX_NAME)
      .toWellFormed(),
  );
  return { id: sub, name: clean.find(Boolean)! };
}

type Claims = Record<string, unknown>;

/** Returns a claim by its name, or else by a path such as `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((inner, part) => {
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part) ? (inner as Claims)[part] : undefined;
  }, claims);
}

/** Returns the roles that claims give, each once; undefined without the claim. */
export function rolesOf(claims: Claims, { claim, roles }: RoleClaim): string[] | undefined {
  const value = claimOf(claims, claim);
  if (value === undefined) return undefined;
  // Some issuers let users enter any address, so only a verified one proves who they are.
  if (claim === 'email' && claims.email_verified !== true) return [];
  const values = [value].flat().filter((one) => typeof one === 'string');
  return [...new Set(values.flatMap((one) => (roles ? (roles.get(one) ?? []) : readRole(one) ? [one] : [])))];
}
