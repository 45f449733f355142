import { badInput } from '../base/app-error.js';
import { checkText } from '../base/text.js';

export const MAX_TENANT_NAME = 256;

/**
 * The tenant of the keys that administer all others; its log records what they did. This is both its id and its name. It cannot
 * be listed, limited, suspended or deleted.
 */
export const ADMIN_TENANT = 'platform-admin';

/** @throws BAD_USER_INPUT naming the field */
export function checkTenantName(field: string, name: string): void {
  checkText(field, name, { min: 1, max: MAX_TENANT_NAME });
  if (/\p{Cc}/u.test(name)) throw badInput(field, 'must not contain control characters');
}
