import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { badInput } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { checkInput } from '../../../common/base/text.js';
import { EmailContentsService } from '../message-storage/email-contents.service.js';
import { LISTED_RECIPIENT, type ListedRecipient, toMessage } from '../message-storage/email-message.js';
import { EmailMessagesFilter } from './messages-filter.input.js';
import { cursorOfEmail, pageOfEmails } from './email-messages.queries.js';
import { type EmailMessage, EmailMessagesOrder } from '../models/email.model.js';

/** Lists the messages of a tenant, with the outcome per recipient. */
@Injectable()
export class EmailMessagesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly contents: EmailContentsService,
  ) {}

  /** Returns a page of messages, newest first by default. */
  async page(
    { tenantId, budget }: Caller,
    { filter, order }: { filter?: EmailMessagesFilter | null; order?: EmailMessagesOrder | null },
    nextToken: string | null | undefined,
    limit: number | null | undefined,
  ): Promise<Page<EmailMessage>> {
    const wanted = checkInput(EmailMessagesFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit), budget };
    if (order === EmailMessagesOrder.SENDS_SOON && wanted.scheduled !== true) {
      throw badInput('order', 'SENDS_SOON requires scheduled messages; set filter.scheduled to true');
    }
    const isOther = order && order !== EmailMessagesOrder.NEWEST;
    const context = { tenantId, operation: 'messages', filter: { ...wanted, ...(isOther && { order }) } };
    const after = this.cursors.after(nextToken, context);
    const { rows, more } = await pageOfEmails(this.database, { tenantId, wanted, order, after }, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => cursorOfEmail(order, row), context);
    const ids = items.map(({ id }) => id);
    const recipients = await this.recipientsOf(ids);
    const contentOf = this.contents.loaderOf({ tenantId, budget }, ids);
    return { ...page, items: items.map((row) => toMessage(row, recipients.get(row.id)!, contentOf)) };
  }

  /** Returns a message of the tenant, if it exists. */
  async find(caller: Caller, id: string): Promise<EmailMessage | undefined> {
    return (await this.page(caller, { filter: { id } }, null, 1)).items[0];
  }

  /**
   * Returns the recipients of each message in input order. Omits the tenant condition: SQLite would scan all of the tenant's recipients by
   * an index on it.
   */
  private async recipientsOf(ids: string[]): Promise<Map<string, ListedRecipient[]>> {
    const byEmail = new Map<string, ListedRecipient[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return byEmail;
    const rows = await this.database.acrossTenants('the messages were read as those of the tenant').emailRecipient.findMany({
      where: { emailId: { in: ids } },
      orderBy: [{ emailId: 'asc' }, { position: 'asc' }],
      select: LISTED_RECIPIENT,
    });
    for (const row of rows) byEmail.get(row.emailId)!.push(row);
    return byEmail;
  }
}
