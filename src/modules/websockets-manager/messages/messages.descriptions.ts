import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount, asSeconds } from '../../../common/base/amounts.js';
import { CONFIRMATION_MS } from './message-states.js';
import { MAX_RECIPIENTS } from './message.model.js';

export const MESSAGES = {
  messages:
    'Lists messages to recipients, newest first, including those of global messages (with globalMessageId). limit is 1 to ' +
    `${asCount(MAX_LIMIT)}; ${DEFAULT_LIMIT} by default. ${PAGE_END}`,
  globalMessages: `Lists global messages, newest first. limit is 1 to ${asCount(MAX_LIMIT)}; ${DEFAULT_LIMIT} by default. ${PAGE_END}`,
  pushMessage:
    `Sends a message to every connection of 1 to ${asCount(MAX_RECIPIENTS)} recipients. Stores it before ` +
    'returning; with expiresAt, it waits for offline recipients. CONFLICT if the idempotencyKey was used ' +
    'with other content; RATE_LIMITED if the tenant would exceed its limit of waiting messages.',
  pushGlobalMessage:
    'Sends a message to all connected recipients and, with expiresAt, to those that connect before then. CONFLICT if the ' +
    'idempotencyKey was used with other content; RATE_LIMITED if the tenant would exceed its limit of waiting messages.',
  cancelMessage:
    'Cancels a PENDING message and returns it. Stops sending it to new connections; a frame already sent may ' +
    'still arrive. Returns a CANCELLED message unchanged. FAILED_PRECONDITION for a DELIVERED message, NOT_FOUND for an unknown id.',
  cancelGlobalMessage:
    'Cancels a global message and returns it. Stops sending it to new connections, and its PENDING messages become ' +
    `CANCELLED. Returns a cancelled one unchanged. FAILED_PRECONDITION ${asSeconds(CONFIRMATION_MS)} s after expiresAt, or ` +
    'after createdAt if it does not expire; NOT_FOUND for an unknown id.',
};
