import { registerEnumType } from '@nestjs/graphql';
import { z } from 'zod';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { type Given, input } from '../../../common/graphql/types/input.js';
import { InboxState } from '../models/inbox.js';

const registerIn = WebsocketsManagerSchema;

registerEnumType(InboxState, {
  name: 'InboxState',
  registerIn,
  description: 'State of a message in an inbox.',
  valuesMap: {
    SEEN: { description: 'Sets seenAt unless it is set.' },
    READ: { description: 'Sets readAt, and seenAt unless they are set.' },
    UNREAD: { description: 'Clears readAt.' },
    ARCHIVED: { description: 'Sets archivedAt: the message leaves the inbox. Final.' },
  },
});

export const InboxFilter = input(
  'InboxFilter',
  { registerIn, description: 'Filter of an inbox. All given fields must match.' },
  {
    read: z.boolean().nullish().describe('true selects read messages, false unread ones.'),
    archived: z
      .boolean()
      .nullish()
      .describe('true selects archived messages, expired ones included, in place of those in the inbox.'),
  },
);
export type InboxFilter = Given<typeof InboxFilter>;
