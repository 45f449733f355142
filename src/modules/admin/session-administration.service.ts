import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { type Session, SessionsService } from '../../common/auth/sessions.service.js';
import { Cursors } from '../../common/lists/cursors.js';
import type { Page } from '../../common/lists/page.js';
import { actorOf, AuditService } from './audit.service.js';

/** Administers sessions of people, and logs each action. */
@Injectable()
export class SessionAdministrationService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly cursors: Cursors,
  ) {}

  /** Returns a page of sessions in the order of their sign-in. */
  async page(caller: Caller, nextToken: string | null, limitOrNone: number | null): Promise<Page<Session>> {
    const limit = this.cursors.limit(limitOrNone);
    const context = { tenantId: caller.tenantId, operation: 'sessions', filter: {} };
    const after = this.cursors.after(nextToken, context);
    return this.cursors.firstOf(await this.sessions.some({ after, limit: limit + 1 }), limit, context);
  }

  revoke(caller: Caller, id: string): Promise<Session> {
    return this.sessions.revoke(id, (transaction, before, after) =>
      this.audit.session(transaction, actorOf(caller), 'revokeSession', { before, after }),
    );
  }
}
