import { isIP } from 'node:net';
import { z } from 'zod';
import { type Given, input, nested } from '../../../common/graphql/types/input.js';
import { asCount, asHours, asSeconds } from '../../../common/base/amounts.js';
import { MAX_NAME, text, withFault } from '../../../common/base/text.js';
import {
  BEAT_MS,
  MAX_REWIND_MESSAGES,
  MAX_REWIND_SECONDS,
  MAX_REWOUND,
  MAX_SEARCHED,
  MAX_TOKEN_SECONDS,
  MIN_TOKEN_SECONDS,
} from '../models/limits.js';
import { WebsocketsManagerSchema } from '../../../common/graphql/types/schemas.js';
import { MAX_TOPICS, MAX_TOPICS_BYTES, patternFault, topicsFault } from '../models/topics.js';
import { MAX_OBSERVED } from './topic-presence.service.js';
import { plainAddress } from '../sockets/upgrades/source-address.js';

const TOKEN_SECONDS = `must be from ${MIN_TOKEN_SECONDS} to ${MAX_TOKEN_SECONDS} seconds`;

const name = text({ min: 1, max: MAX_NAME });

const topics = withFault(z.array(withFault(name, patternFault), 'must be a list of topics'), topicsFault);

const origin = text({ max: MAX_NAME })
  .refine(
    (value) => /^https?:\/\/[^/]+$/i.test(value) && URL.canParse(value) && new URL(value).host !== '' && !value.includes('@'),
    'must be an origin as sent by browsers: http://<domain> or https://<domain>',
  )
  .transform((value) => new URL(value).origin);

const count = `must be from 1 to ${MAX_REWIND_MESSAGES} messages`;
const age = `must be from 1 to ${MAX_REWIND_SECONDS} seconds`;

const RewindInput = input(
  'RewindInput',
  { registerIn: WebsocketsManagerSchema, description: 'Stored messages to send to a new connection first.' },
  {
    messages: z
      .int()
      .min(1, count)
      .max(MAX_REWIND_MESSAGES, count)
      .describe(`Last messages of each topic or pattern, 1 to ${MAX_REWIND_MESSAGES}; at most ${asCount(MAX_REWOUND)} in all.`),
    seconds: z
      .int()
      .min(1, age)
      .max(MAX_REWIND_SECONDS, age)
      .describe(`Maximum age of the messages, 1 to ${asCount(MAX_REWIND_SECONDS)} s.`),
  },
);

export const RegisterRecipientInput = input(
  'RegisterRecipientInput',
  { registerIn: WebsocketsManagerSchema, description: 'Recipient with the terms of its connections.' },
  {
    recipient: name.describe(`Name of the recipient, such as the application's user id; 1 to ${asCount(MAX_NAME)} characters.`),
    sourceIp: z
      .string()
      .refine((value) => isIP(value) !== 0, 'must be an IPv4 or IPv6 address')
      .transform(plainAddress)
      .nullish()
      .describe('Only IPv4 or IPv6 address from which the token may connect.'),
    origin: origin
      .nullish()
      .describe('Only origin from which the token may connect: http://<domain> or https://<domain>, with the port if any.'),
    topic: name.nullish().describe(`Topic of the connection, 1 to ${asCount(MAX_NAME)} characters.`),
    topics: topics
      .nullish()
      .describe(
        `Topics of the connection, up to ${MAX_TOPICS} and ${asCount(MAX_TOPICS_BYTES)} bytes together, in place of topic. ` +
          'a/b/* receives all topics that begin with a/b/.',
      ),
    rewind: nested(RewindInput)
      .nullish()
      .describe(
        'Sends the last messages of its topics first, with "replayed": true, unless they were cancelled or have expired. Queued ' +
          `messages come without it. Searches the newest ${asCount(MAX_SEARCHED)} messages to the recipient, and of the tenant for patterns.`,
      ),
    inbox: z
      .boolean()
      .nullish()
      .describe(
        'true lets its connections mark messages in the inbox with the text frames {"seen": "<id>"}, read, unread and archived, and ' +
          'sends them {"inbox": {"unread": <number>}} when they open and after each change.',
      ),
    presence: z
      .boolean()
      .nullish()
      .describe(
        'true also sends the frames {"presence": "join" | "leave", "topic", "recipient", "at"} when recipients join and leave its topics, ' +
          `unless a topic has more than ${asCount(MAX_OBSERVED)} connections on a node.`,
      ),
    expiresIn: z
      .int()
      .min(MIN_TOKEN_SECONDS, TOKEN_SECONDS)
      .max(MAX_TOKEN_SECONDS, TOKEN_SECONDS)
      .nullish()
      .describe(
        `Lifetime of the token in seconds, ${MIN_TOKEN_SECONDS} to ${asCount(MAX_TOKEN_SECONDS)}; ${asCount(MAX_TOKEN_SECONDS)} ` +
          `(${asHours(1_000 * MAX_TOKEN_SECONDS)} h) by default.`,
      ),
    closeOnExpiry: z
      .boolean()
      .nullish()
      .describe(
        `true closes connections of the token with code 4401 within ${asSeconds(2 * BEAT_MS)} s after it expires. ` +
          'By default they stay open.',
      ),
    acknowledge: z
      .boolean()
      .nullish()
      .describe(
        'true marks a message as DELIVERED when the client sends the text frame {"ack": "<id>"}, which ' +
          'also acknowledges all earlier frames of the connection. By default, the answer of the WebSocket to a ping marks it.',
      ),
  },
  (rules) =>
    rules.refine((one) => typeof one.topic !== 'string' || !Array.isArray(one.topics), {
      path: ['topics'],
      message: 'must not be sent with topic',
    }),
);
export type RegisterRecipientInput = Given<typeof RegisterRecipientInput>;
