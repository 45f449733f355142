import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppError } from '../base/app-error.js';
import { Config } from '../config/config.js';
import type { Caller } from './caller.js';
import { readCookie, TENANT_HEADER } from './session-cookie.js';
import { SessionsService } from './sessions.service.js';

export interface KnownKey {
  caller: Caller;
  expiresAtMs: number;
}

/** Session of a request, and the tenant that it names. */
export interface SessionUse {
  token: string;
  tenantId: string;
}

/** Reads the session of a request. Without OIDC_ISSUER there is none. */
@Injectable()
export class SessionDoor {
  constructor(
    private readonly config: Config,
    private readonly sessions: SessionsService,
  ) {}

  /** Returns the session of a request that names a tenant, if any. @throws FORBIDDEN for a request of another site */
  read(headers: IncomingHttpHeaders, address: string): SessionUse | undefined {
    const tenantId = headers[TENANT_HEADER];
    if (!this.config.oidc || typeof tenantId !== 'string') return undefined;
    const token = readCookie(headers, 'session', address.startsWith('https:'));
    if (token === undefined) return undefined;
    checkSameOrigin(headers, address);
    return { token, tenantId };
  }

  /** Looks a session up. Returns null for an ended one. @throws NOT_FOUND for a tenant that its roles do not name */
  async load({ token, tenantId }: SessionUse): Promise<KnownKey | null> {
    const session = await this.sessions.find(token);
    if (!session) return null;
    return { caller: await this.sessions.callerIn(session, tenantId), expiresAtMs: session.expiresAt.getTime() };
  }
}

/**
 * Refuses requests with a session that no page of this server sent. Browsers send Origin with every POST, and Sec-Fetch-Site over https
 * and on localhost; one of both is required. @throws FORBIDDEN
 */
export function checkSameOrigin(headers: IncomingHttpHeaders, address: string): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = (origin === undefined || origin === new URL(address).origin) && (site === undefined || site === 'same-origin');
  if (isOwn && (origin ?? site) !== undefined) return;
  throw new AppError('FORBIDDEN', 'A session is accepted from pages of this server only; use a service access key');
}
