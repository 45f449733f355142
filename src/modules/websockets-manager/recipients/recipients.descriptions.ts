import { asCount, asHours, asSeconds } from '../../../common/base/amounts.js';
import { LEASE_MS } from '../bus/registry.js';
import { MAX_TOKEN_SECONDS } from '../models/limits.js';
import { MAX_CONNECTIONS_SHOWN } from './recipient.model.js';

/** Schema descriptions of the operations on recipients. */
export const RECIPIENTS = {
  connections:
    `The open connections of a recipient on all nodes, oldest first; at most ${asCount(MAX_CONNECTIONS_SHOWN)}. ` +
    'SERVICE_UNAVAILABLE while the other nodes cannot be reached.',
  onlineRecipients:
    'The recipients connected now, to any node, in a fixed order of names. A recipient is listed from shortly before its ' +
    `connection opens until it closes or misses two heartbeats, and for up to ${asSeconds(LEASE_MS)} s after its node crashed. ` +
    'SERVICE_UNAVAILABLE while the other nodes cannot be reached.',
  registerRecipient:
    `Issues a token to connect with, valid for ${asHours(1_000 * MAX_TOKEN_SECONDS)} h or as long as expiresIn says. Nothing is ` +
    'stored.',
  disconnectRecipient:
    'Closes every open connection of a recipient with code 4403 and returns how many there were. Tokens issued before can no ' +
    'longer connect.',
};
