import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount, asSeconds } from '../../../common/base/amounts.js';
import { CONFIRMATION_MS } from './message-states.js';
import { MAX_RECIPIENTS } from './message.model.js';

/** Schema descriptions of the operations on messages. */
export const MESSAGES = {
  messages:
    'Messages to recipients, newest first, including those of global messages, which have a globalMessageId. limit is 1 to ' +
    `${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  globalMessages: `Global messages, newest first. limit is 1 to ${asCount(MAX_LIMIT)}; the default is ${DEFAULT_LIMIT}. ${PAGE_END}`,
  pushMessage:
    `Sends a message to every connection of 1 to ${asCount(MAX_RECIPIENTS)} recipients. It is stored before the mutation ` +
    'returns; with expiresAt it waits for recipients that are not connected. CONFLICT if the idempotencyKey was used before ' +
    'with other content; RATE_LIMITED if the tenant would have more waiting messages than it may have.',
  pushGlobalMessage:
    'Sends a message to all connected recipients and, with expiresAt, to those that connect before then. CONFLICT if the ' +
    'idempotencyKey was used before with other content; RATE_LIMITED if the tenant would have more waiting messages than it ' +
    'may have.',
  cancelMessage:
    'Cancels a PENDING message and returns it. It is not sent to connections that open later; a frame that was sent before may ' +
    'still arrive. Returns a CANCELLED message unchanged. FAILED_PRECONDITION for a DELIVERED message, NOT_FOUND for an unknown id.',
  cancelGlobalMessage:
    'Cancels a global message and returns it. It is not sent to connections that open later, and its PENDING messages become ' +
    `CANCELLED. Returns a cancelled one unchanged. FAILED_PRECONDITION ${asSeconds(CONFIRMATION_MS)} s after expiresAt, or ` +
    'after createdAt if it does not expire; NOT_FOUND for an unknown id.',
};
