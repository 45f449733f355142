import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { uuidv7 } from '../../../common/base/ids.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import type { FallbackMailModel } from '../../../generated/sqlite/models.js';
import { LaterMailsService } from '../../email/acceptance/later-mails.service.js';
import type { CheckedFallback } from './fallback.inputs.js';
import { fallbacksOf, insertFallbacks, withdrawFallback } from './fallbacks.queries.js';
import { type FallbackOf, FallbackState, type MessageFallback } from './message-fallback.model.js';

/** Rendered mail of a push, with the address of each recipient. */
export interface PreparedFallback {
  mail: FallbackMailModel;
  addresses: CheckedFallback['addresses'];
}

/** Prepares, stores and reads fallbacks. FallbacksJob decides them when they are due. */
@Injectable()
export class FallbacksService {
  constructor(
    private readonly database: Database,
    private readonly mails: LaterMailsService,
  ) {}

  /** Checks and renders the mail of a fallback. Later changes of its template do not affect it. @throws the errors of LaterMailsService */
  async prepare(caller: Caller, { after, until, addresses, ...content }: CheckedFallback): Promise<PreparedFallback> {
    const { from, ...mail } = await this.mails.prepare(
      caller,
      { ...content, recipients: [...addresses.values()] },
      'input.fallback',
    );
    const row = {
      tenantId: caller.tenantId,
      id: uuidv7(),
      until,
      dueAt: new Date(Date.now() + after * 1_000),
      fromAddress: from?.address ?? null,
      fromName: from?.name ?? null,
      ...mail,
      length: (mail.html?.length ?? 0) + (mail.text?.length ?? 0),
    };
    return { mail: row, addresses };
  }

  /** Stores the fallbacks of messages within their transaction. */
  storeWithin(
    transaction: TenantTransaction,
    { mail, addresses }: PreparedFallback,
    messages: readonly { id: string; recipient: string }[],
  ): Promise<void> {
    const { tenantId, id: mailId } = mail;
    const fallbacks = messages.map(({ id, recipient }) => ({ tenantId, pushId: id, mailId, ...addresses.get(recipient)! }));
    return insertFallbacks(transaction, this.database.dialect, { mail, fallbacks });
  }

  /** Returns a loader of the fallbacks of messages to named recipients. Its first call loads those of the whole page. */
  loaderOf(tenantId: string, messages: readonly { pushId: string; isGlobal: boolean }[]): FallbackOf {
    let found: Promise<Map<string, MessageFallback>> | undefined;
    return async (id) => {
      found ??= this.fallbacksOf(tenantId, messages);
      return (await found).get(id) ?? null;
    };
  }

  private async fallbacksOf(tenantId: string, messages: readonly { pushId: string; isGlobal: boolean }[]) {
    const ids = messages.filter(({ isGlobal }) => !isGlobal).map(({ pushId }) => pushId);
    return ids.length > 0 ? fallbacksOf(this.database, tenantId, ids) : new Map<string, MessageFallback>();
  }

  /** Withdraws the fallback of a cancelled message, unless it is decided. */
  withdraw(tenantId: string, id: string): Promise<void> {
    return withdrawFallback(this.database, tenantId, id);
  }
}

/** Returns a loader of fallbacks that were just stored. */
export function waitingFallbacks({ mail: { dueAt: at } }: PreparedFallback): FallbackOf {
  const fallback = { state: FallbackState.WAITING, at, emailId: null, error: null };
  return () => Promise.resolve(fallback);
}
