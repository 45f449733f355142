import { asCount, asHours, asSeconds } from '../../../common/base/amounts.js';
import { LEASE_MS } from '../bus/registry.js';
import { MAX_TOKEN_SECONDS } from '../models/limits.js';
import { MAX_CONNECTIONS_SHOWN } from './recipient.model.js';

export const RECIPIENTS = {
  connections:
    `Lists the open connections of a recipient on all nodes, oldest first; at most ${asCount(MAX_CONNECTIONS_SHOWN)}. ` +
    'SERVICE_UNAVAILABLE while other nodes cannot be reached.',
  onlineRecipients:
    'Lists the recipients connected to any node, in a fixed order of names. Includes a recipient from shortly before its ' +
    `connection opens until it closes or misses two heartbeats, and for up to ${asSeconds(LEASE_MS)} s after a crash of its node. ` +
    'SERVICE_UNAVAILABLE while other nodes cannot be reached.',
  registerRecipient: `Issues a token to connect with, valid for ${asHours(1_000 * MAX_TOKEN_SECONDS)} h or expiresIn. Nothing is stored.`,
  disconnectRecipient:
    'Closes every open connection of a recipient with code 4403, revokes its tokens, and returns the number of closed connections.',
};
