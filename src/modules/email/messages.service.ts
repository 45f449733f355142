import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Cursors, type Page } from '../../common/graphql/page.js';
import { checkInput } from '../../common/validation/text.js';
import { type ShownRecipient, toMessage } from './email-row.js';
import type { EmailMessagesFilter } from './inputs/email.inputs.js';
import { messagesFilterRules } from './inputs/email.rules.js';
import { pageOfEmails } from './messages.queries.js';
import type { EmailMessage } from './models/email.model.js';

/** What became of the messages of a tenant. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly cursors: Cursors,
    private readonly config: Config,
  ) {}

  /** Newest first. */
  async page(
    { tenantId, budget }: Caller,
    filter: EmailMessagesFilter | null | undefined,
    nextToken: string | null | undefined,
    limit: number | null | undefined,
  ): Promise<Page<EmailMessage>> {
    const wanted = checkInput(messagesFilterRules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'messages', filter: wanted };
    const after = this.cursors.after(nextToken, context);
    const { rows, more } = await pageOfEmails(this.prisma, this.config.isPostgres, { tenantId, wanted, after }, size);
    const { items, ...page } = this.cursors.page(rows, more, ({ id }) => id, context);
    const recipients = await this.recipientsOf(items.map(({ id }) => id));
    return { ...page, items: items.map((row) => toMessage(row, recipients.get(row.id)!)) };
  }

  /** In the order in which they were named. */
  private async recipientsOf(ids: string[]): Promise<Map<string, ShownRecipient[]>> {
    const byEmail = new Map<string, ShownRecipient[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return byEmail;
    const rows = await this.prisma.emailRecipient.findMany({
      where: { emailId: { in: ids } },
      orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
      select: { emailId: true, kind: true, address: true, name: true, status: true, lastError: true, attempts: true },
    });
    for (const row of rows) byEmail.get(row.emailId)!.push(row);
    return byEmail;
  }
}
