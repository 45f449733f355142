import { Field, Int, ObjectType } from '@nestjs/graphql';
import { pageOf } from '../../../common/lists/page-of.js';
import { asCount } from '../../../common/base/amounts.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { Message } from '../messages/message.model.js';
import { MAX_UNREAD } from '../models/limits.js';

@ObjectType('InboxResult', { registerIn: WebsocketsManagerSchema, description: 'Page of an inbox.' })
export class InboxResult extends pageOf(Message, { nextToken: 'Cursor of the next page, or null on the last.' }) {
  @Field(() => Int, {
    nullable: true,
    description: `Unread messages in the inbox, on all pages and with any filter; at most ${asCount(MAX_UNREAD)}, which means that many or more.`,
  })
  unread: number;
}
