import { badInput } from '../../../common/errors/app-error.js';
import { checkText, MAX_NAME } from '../../../common/validation/text.js';
import type { MessagesFilter } from './messages-filter.input.js';

/** Checks a filter of messages. @throws BAD_USER_INPUT that names the field */
export function checkMessagesFilter({ createdAt, expiresAt, topic, recipient, globalMessageId }: MessagesFilter): void {
  for (const [field, bounds] of Object.entries({ createdAt, expiresAt })) {
    if (bounds?.from && bounds.to && bounds.from > bounds.to) throw badInput(`filter.${field}.from`, 'must not be after to');
  }
  for (const [field, text] of Object.entries({ topic, recipient, globalMessageId })) {
    if (typeof text === 'string') checkText(`filter.${field}`, text, { max: MAX_NAME });
  }
}
