import { badInput } from '../base/app-error.js';
import { checkText } from '../base/text.js';

export const MAX_TENANT_NAME = 256;

/**
 * Tenant of the admin keys, both id and name. Its log records what they did. It cannot be listed, limited, suspended or deleted.
 */
export const ADMIN_TENANT = 'platform-admin';

/** Checks a tenant name. @throws BAD_USER_INPUT naming the field */
export function checkTenantName(field: string, name: string): void {
  checkText(field, name, { min: 1, max: MAX_TENANT_NAME });
  if (/\p{Cc}/u.test(name)) throw badInput(field, 'must not contain control characters');
}
